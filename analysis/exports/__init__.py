"""Tables of a study as streams of rows, and the files they are written to."""
