"""The researcher's pages of a study, and the same for programs."""
