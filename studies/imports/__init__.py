"""Bring clips into a study, all that a manifest names or none; replace them, take them out."""
