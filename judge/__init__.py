"""The judge: a speech model that is asked the same question as the raters."""
