"""Drawing of results, in print and on pages."""
