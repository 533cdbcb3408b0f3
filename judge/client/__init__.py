"""How the platform asks a judge: one contract, two engines behind it."""
