"""Template tags of studies."""
