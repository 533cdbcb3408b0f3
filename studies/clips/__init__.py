"""Stored clips: their tables, their files, and their facts from the manifest."""
