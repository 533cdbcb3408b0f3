"""What is known of runs, scores and clips held back."""
