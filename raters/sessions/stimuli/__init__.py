"""PURE: sounds that the first checks play, made from published numbers and a seed; no file, no framework."""
