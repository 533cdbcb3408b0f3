"""Rater sessions, from the study link to the last page: consent, checks, trials, questions, end."""
