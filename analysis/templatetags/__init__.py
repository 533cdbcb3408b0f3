"""Tags of the pages of results."""
