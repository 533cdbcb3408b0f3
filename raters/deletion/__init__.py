"""Deletion of whole studies with their raters, answers and files."""
