"""Pilots: results, automatic end, and deletion."""
