"""The program `earshot`. In a wheel, this package also holds the folders of the repository (ADR 46)."""
