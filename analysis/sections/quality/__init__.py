"""Traps, golden questions, drift over a session."""
