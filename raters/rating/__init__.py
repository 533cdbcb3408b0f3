"""What is served and answered: batches, trials, listening, answers, verdicts, and what settles them."""
