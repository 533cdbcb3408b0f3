"""Pages on a study's pay, for its owner."""
