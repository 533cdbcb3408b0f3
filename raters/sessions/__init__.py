"""A session from the study's link to the last page: consent, checks, trials, questions, end."""
