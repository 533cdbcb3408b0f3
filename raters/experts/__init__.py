"""Experts' work: reviewing reasons, coding them, the spot check, and what researchers see of it."""
