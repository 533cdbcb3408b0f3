"""Clients of a judge: one interface, two engines."""
