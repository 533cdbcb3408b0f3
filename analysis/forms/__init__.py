"""What researchers fill in."""
