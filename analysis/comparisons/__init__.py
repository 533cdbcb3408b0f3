"""Judges and metrics compared with listeners."""
