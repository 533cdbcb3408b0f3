"""Training of a judge on the platform's ratings, as in section 3.5 of the ATT paper."""
