"""Clips as they are stored: their tables, where their sound lies, what a manifest said of them."""
