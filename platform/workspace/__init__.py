"""The researcher's workspace: the home page and the frame of every page of a study. It has no tables."""
