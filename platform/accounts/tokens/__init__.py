"""Tokens of researchers' programs: created, shown once, checked, revoked."""
