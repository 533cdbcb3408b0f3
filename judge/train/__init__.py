"""Train a judge on the platform's own ratings, as the ATT paper describes in section 3.5."""
