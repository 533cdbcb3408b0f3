"""Researchers' pages of a study, and the API."""
