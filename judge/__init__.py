"""The machine's opinion: a speech model that is asked what the raters are asked."""
