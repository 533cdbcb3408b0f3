"""Files that researchers hand in, read and checked; no tables."""
