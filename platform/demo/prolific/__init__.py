"""A stand-in for Prolific's API, for trying payments and for tests; it never moves money."""
