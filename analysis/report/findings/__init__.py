"""What an analysis finds, section by section, as JSON; its form is in `schema`."""
