"""Runs of the judge over a study: judge status, scoring, stored judgements and scores."""
