"""People who run studies: their rows, roles, sign-ins, and what they see in the admin."""
