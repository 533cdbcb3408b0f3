"""Erase what people ask to be deleted, and delete the platforms' ids of people in time."""
