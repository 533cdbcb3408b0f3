"""What every endpoint for researchers' programs shares: who asks, what they may do, how a refusal looks."""
