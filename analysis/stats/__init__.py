"""Pure statistics: arrays in, dataclasses out."""
