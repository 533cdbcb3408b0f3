"""What speaks to crowd platforms, one file each; nothing here knows a table."""
