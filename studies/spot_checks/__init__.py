"""The spot check of stimuli before the launch."""
