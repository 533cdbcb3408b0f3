"""Delete what somebody asks us to delete: everywhere, for good, and again after a restore."""
