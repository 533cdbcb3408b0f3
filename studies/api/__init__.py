"""The API of studies."""
