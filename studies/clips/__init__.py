"""Stored clips: tables, files, and facts from the manifest."""
