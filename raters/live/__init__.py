"""Session data for live results: the rows, and which sessions may have changed."""
