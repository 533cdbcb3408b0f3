"""Summaries of all rows of a large study, computed by workers and stored."""
