"""Pure rules: choosing and ordering a batch's clips, valid batches, acceptable answers."""
