"""The first checks."""
