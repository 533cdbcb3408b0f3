"""Experts of a study and what they decide: queues, decisions, and the page on which they work."""
