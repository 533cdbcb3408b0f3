"""What changes runs and what was held back."""
