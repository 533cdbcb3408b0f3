"""A snapshot in the form in which the study's page shows it."""
