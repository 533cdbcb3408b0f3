"""Pages: a rater's session, and what experts do."""

from __future__ import annotations

from raters.views.arrival import arrive
from raters.views.sessions import consent, end, instructions, leave, rate, trial

__all__ = ["arrive", "consent", "end", "instructions", "leave", "rate", "trial"]
