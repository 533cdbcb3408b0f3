"""Scores under other choices of exclusion rules."""
