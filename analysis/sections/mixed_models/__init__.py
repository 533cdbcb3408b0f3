"""Mixed models: fast, Bayesian, ordinal."""
