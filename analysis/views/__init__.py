"""Pages of a study for its researcher."""
