"""Erasing what somebody asks us to delete, and forgetting the platforms' ids of people in time."""
