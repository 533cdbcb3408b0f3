"""Texts and questions that a language model drafts, and people decide on."""
