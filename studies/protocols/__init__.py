"""Pure rules: which clips make a batch, in which order, and when a batch counts."""
