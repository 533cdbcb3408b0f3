"""How web processes talk to clients: whole requests come to a thread, and what a client is slow to take waits outside."""
