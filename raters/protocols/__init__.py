"""Rules about people and their pay; no framework, no tables."""
