"""Scores of every grouping, with their intervals."""
