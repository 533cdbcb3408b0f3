"""Previews: a researcher takes the study as a rater, in a private copy that is deleted afterwards."""
