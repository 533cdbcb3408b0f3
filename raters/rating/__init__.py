"""Serving and answering: batches, trials, listening, answers, verdicts, and settling."""
