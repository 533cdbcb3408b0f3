"""Previews: a researcher goes the rater's whole way in a private copy of the study, which is deleted afterwards."""
