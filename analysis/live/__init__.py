"""What a study's page shows while answers come in."""
