"""Ratings that don't count, and why."""
