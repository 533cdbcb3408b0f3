"""Figures of a study, and how pages draw them."""
