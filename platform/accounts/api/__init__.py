"""Shared by all endpoints of the public API: authentication, permissions and errors."""
