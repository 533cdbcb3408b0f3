"""A folder with one more crowd source, which a test adds to those of the product."""
