"""Seconds a clip."""
