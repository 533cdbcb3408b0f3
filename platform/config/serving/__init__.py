"""How web processes talk to clients: a thread gets whole requests, and what clients are slow to take waits outside."""
