"""Pages: a rater's session, and what experts do."""

from __future__ import annotations

from raters.views.sessions import arrive, consent, end, instructions, leave, rate, trial

__all__ = ["arrive", "consent", "end", "instructions", "leave", "rate", "trial"]
