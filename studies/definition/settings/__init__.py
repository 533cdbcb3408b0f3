"""The parts of a study's settings, each declared with its bounds, defaults and where they come from."""
