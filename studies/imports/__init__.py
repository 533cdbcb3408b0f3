"""Import clips into a study, all that a manifest names or none; replace, withdraw and delete them."""
