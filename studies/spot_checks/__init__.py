"""The experts of a study, and the spot check of its stimuli before the launch."""
