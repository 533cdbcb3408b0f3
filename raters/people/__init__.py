"""Raters, their sessions, and the platforms' ids of them in a separate table."""
