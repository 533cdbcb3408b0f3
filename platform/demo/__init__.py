"""The demo study with simulated raters, and stand-ins for Prolific and for a language model."""
