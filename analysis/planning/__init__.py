"""How many raters a study needs, and interim analyses planned before launch."""
