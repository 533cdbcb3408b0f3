"""Tables of who answered what."""

from __future__ import annotations

from raters.models.answers import Answer, Rating, Verdict
from raters.models.arrivals import Invite, KeySet
from raters.models.checks import CheckResult, FairCheck
from raters.models.codes import Coding, CodingItem, CodingMark, CodingSkip
from raters.models.filling import QueueFill
from raters.models.payments import Payment, PaymentList
from raters.models.people import Identity, Rater, Session
from raters.models.platforms import PlatformEvent, PlatformStudy, Submission
from raters.models.questionnaire import Response
from raters.models.reviews import Review, ReviewItem, ReviewSkip
from raters.models.rights import Erasure, IdentityTerm
from raters.models.trials import Batch, ClipFailure, NewlyUsable, Trial, TrialClip

__all__ = [
    "Answer",
    "Batch",
    "CheckResult",
    "ClipFailure",
    "Coding",
    "CodingItem",
    "CodingMark",
    "CodingSkip",
    "Erasure",
    "FairCheck",
    "Identity",
    "IdentityTerm",
    "Invite",
    "KeySet",
    "NewlyUsable",
    "Payment",
    "PaymentList",
    "PlatformEvent",
    "PlatformStudy",
    "QueueFill",
    "Rater",
    "Rating",
    "Response",
    "Review",
    "ReviewItem",
    "ReviewSkip",
    "Session",
    "Submission",
    "Trial",
    "TrialClip",
    "Verdict",
]
