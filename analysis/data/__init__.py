"""The input of all results: ratings as a table, groups, and access to scores."""
