"""Sounds of the first checks, generated from published parameters and a seed; no files, no Django."""
