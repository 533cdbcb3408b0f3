"""Tables of who answered what."""

from __future__ import annotations

from raters.models.answers import Answer, Rating, Verdict
from raters.models.arrivals import Invite, KeySet
from raters.models.codes import Coding, CodingItem, CodingMark, CodingSkip
from raters.models.people import Identity, Rater, Session
from raters.models.reviews import Review, ReviewItem, ReviewSkip
from raters.models.trials import Batch, Trial, TrialClip

__all__ = [
    "Answer",
    "Batch",
    "Coding",
    "CodingItem",
    "CodingMark",
    "CodingSkip",
    "Identity",
    "Invite",
    "KeySet",
    "Rater",
    "Rating",
    "Review",
    "ReviewItem",
    "ReviewSkip",
    "Session",
    "Trial",
    "TrialClip",
    "Verdict",
]
