"""What all results are made from: ratings as a table, groups, and who may see scores."""
