"""The Results page, updated while answers come in."""
