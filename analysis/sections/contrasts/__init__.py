"""Systems against each other: differences, tiers, ranks."""
