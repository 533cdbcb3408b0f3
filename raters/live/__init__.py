"""What live figures read of sessions: their rows, and which of them may have changed."""
