"""A machine's numbers held against people's: arrays in, dataclasses out."""
