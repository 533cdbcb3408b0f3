"""Whether raters agree."""
