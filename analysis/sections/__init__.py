"""Sections of an analysis: each has a folder with its result, its computation, and its display."""
