"""How many raters a study needs, and looks at its contrasts that were named before the launch."""
