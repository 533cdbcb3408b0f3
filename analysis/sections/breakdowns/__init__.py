"""Markers, errors and labels that were named."""
