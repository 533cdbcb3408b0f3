"""Pages: a rater's session, and what experts do."""

from __future__ import annotations

from raters.views.arrival import arrive
from raters.views.checks import check
from raters.views.questionnaire import questionnaire
from raters.views.rights import information, leave, your_data
from raters.views.sessions import consent, end, instructions, rate, trial

__all__ = [
    "arrive",
    "check",
    "consent",
    "end",
    "information",
    "instructions",
    "leave",
    "questionnaire",
    "rate",
    "trial",
    "your_data",
]
