"""Raters, their sessions, and the platforms' ids of them, kept apart."""
