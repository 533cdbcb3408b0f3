"""Payments to raters, and the crowd platforms' submissions."""
