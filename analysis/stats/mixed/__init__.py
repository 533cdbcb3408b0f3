"""Mixed models of scores: Gaussian by REML and by sampling, ordinal and logistic by Laplace's approximation."""
