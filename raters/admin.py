"""Admin pages for raters and their data."""

from __future__ import annotations

from raters.people.admin import InviteAdmin
from raters.privacy.admin import ErasureAdmin
from raters.sessions.admin import AnswerAdmin, BatchAdmin, SessionAdmin
from raters.sessions.verdict_admin import VerdictAdmin

__all__ = ["AnswerAdmin", "BatchAdmin", "ErasureAdmin", "InviteAdmin", "SessionAdmin", "VerdictAdmin"]
