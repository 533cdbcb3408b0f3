"""How many raters a study needs, before it begins and while it runs."""
