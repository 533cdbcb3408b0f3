"""Rules on reasons and what browsers report; no framework, no tables."""
