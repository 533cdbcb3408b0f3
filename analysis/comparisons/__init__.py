"""Judges and metrics next to people's scores."""
