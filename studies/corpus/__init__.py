"""The corpus workshop: the texts of a study before they are spoken, with versions, comments and reviews."""
