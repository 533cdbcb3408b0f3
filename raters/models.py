"""All models of raters."""

from __future__ import annotations

from raters.experts.models import Coding, CodingItem, CodingMark, CodingSkip, QueueFill, Review, ReviewItem, ReviewSkip
from raters.payments.models import Payment, PaymentList, PlatformEvent, PlatformStudy, Submission
from raters.people.models import Erasure, Identity, IdentityTerm, Rater, Session
from raters.previews.models import DryRun
from raters.rating.models import Answer, Batch, ClipFailure, NewlyUsable, Rating, Trial, TrialClip, Verdict
from raters.sessions.models import CheckResult, FairCheck, Response
from raters.simulation.models import Simulation
from raters.sources.models import Invite, KeySet

__all__ = [
    "Answer",
    "Batch",
    "CheckResult",
    "ClipFailure",
    "Coding",
    "CodingItem",
    "CodingMark",
    "CodingSkip",
    "DryRun",
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
    "Simulation",
    "Submission",
    "Trial",
    "TrialClip",
    "Verdict",
]
