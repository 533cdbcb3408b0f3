"""Researchers and their programs' tokens in the admin."""

from __future__ import annotations

from accounts.admin import tokens, users

__all__ = ["tokens", "users"]
