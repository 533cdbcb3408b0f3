"""A stand-in for Prolific's API, to try payments out and to test against; no money is anywhere near it."""
