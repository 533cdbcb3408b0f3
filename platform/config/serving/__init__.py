"""Connections to clients: threads get complete requests, and responses to slow clients wait outside threads."""
