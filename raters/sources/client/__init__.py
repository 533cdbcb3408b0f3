"""Clients of crowd platforms, one file each; independent of the database."""
