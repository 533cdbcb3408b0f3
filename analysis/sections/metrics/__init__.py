"""External metrics beside people's scores."""
