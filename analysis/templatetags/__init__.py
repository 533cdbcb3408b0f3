"""Template filters for pages of results."""
