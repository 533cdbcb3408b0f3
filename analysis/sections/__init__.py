"""Sections of an analysis: each has a folder with its result, how it is computed, and how it is shown."""
