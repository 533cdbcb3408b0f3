"""Judges and metrics beside people's scores."""
