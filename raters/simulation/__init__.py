"""Simulated raters, who take the same way as real ones."""
