"""White box against black box."""
