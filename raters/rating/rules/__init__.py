"""Rules on reasons and browser reports, independent of Django and the database."""
