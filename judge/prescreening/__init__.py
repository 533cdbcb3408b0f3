"""A study's clips as a machine sees them before people do, and clips held back."""
