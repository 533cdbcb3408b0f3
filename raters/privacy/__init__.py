"""Erase data on request, and delete the platforms' ids after their retention period."""
