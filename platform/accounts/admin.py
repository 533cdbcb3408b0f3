"""Researchers and API tokens in the admin."""

from __future__ import annotations

from accounts.tokens.admin import ApiTokenAdmin
from accounts.users.admin import ResearcherAdmin

__all__ = ["ApiTokenAdmin", "ResearcherAdmin"]
