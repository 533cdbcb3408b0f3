"""The stimulus audit: measures of every clip, and differences between systems that listeners could use."""
