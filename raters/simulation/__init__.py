"""Simulated raters, using the same services as real ones."""
