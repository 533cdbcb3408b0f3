"""What every app builds on; it has no tables of its own."""
