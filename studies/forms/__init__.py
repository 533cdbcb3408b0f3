"""Forms of the researcher's pages; settings' fields are made from the declared models, never written by hand."""
