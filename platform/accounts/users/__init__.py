"""Researchers and experts: accounts, roles, sign-ins, and their rows in the admin."""
