"""What was heard, and under which protocol."""
