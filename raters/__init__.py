"""Raters, their sessions, batches, trials, answers and verdicts."""
