"""Systems against human speech."""
