"""People who share a study: their roles, what these allow, and invitations."""
