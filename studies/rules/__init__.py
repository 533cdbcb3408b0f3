"""Pure rules: which clips make a batch, in which order, when a batch counts, when an answer may be taken."""
