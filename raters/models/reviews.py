"""What experts decide about reasons, and the queue that brings them there."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from raters.models.answers import Answer
from raters.models.queue import Decided, Queued, Skip


class ReviewItem(Queued):
    """An answer with a reason in its study's queue."""

    answer = models.OneToOneField(Answer, models.PROTECT, primary_key=True, related_name="review_item")
    flags = models.JSONField(default=list)
    flagged = models.BooleanField(default=False)
    # The version of the rules that flagged it when it came into the queue.
    rules = models.PositiveSmallIntegerField(default=1, db_default=1)
    # Of the bare letters of the reason: the same for copies.
    digest = models.CharField(max_length=32)
    # Whether it was looked at beside the reasons of all other raters.
    compared = models.BooleanField(default=False)
    # What was decided for good; empty until then.
    decision = models.CharField(max_length=12, blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key"], name="review_key_once", condition=~Q(key=""))]
        indexes = [
            models.Index(fields=["study", "state", "simulated", "draw"], name="review_next"),
            models.Index(fields=["study", "state", "simulated", "-flagged", "draw"], name="review_next_flagged"),
            models.Index(fields=["study", "digest"], name="review_copies"),
            models.Index(fields=["study"], name="review_uncompared", condition=Q(compared=False)),
        ]

    def __str__(self) -> str:
        return f"review of {self.answer}"


class Review(Decided):
    """One expert's decision on one answer."""

    class Decision(models.TextChoices):
        CONSISTENT = "consistent", _("Consistent")
        INCONSISTENT = "inconsistent", _("Inconsistent")
        CANNOT_TELL = "cannot_tell", _("Cannot tell")

    class Purpose(models.TextChoices):
        FIRST = "first", _("first review")
        DOUBLE = "double", _("second review")
        ADJUDICATION = "adjudication", _("adjudication")

    answer = models.ForeignKey(Answer, models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=12, choices=Decision)
    purpose = models.CharField(max_length=12, choices=Purpose)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "expert"], name="review_once_an_expert", condition=Q(revoked_at=None)
            ),
            models.UniqueConstraint(
                fields=["answer", "purpose"], name="review_once_a_purpose", condition=Q(revoked_at=None)
            ),
        ]
        indexes = [models.Index(fields=["study", "expert", "at"], name="review_by_expert")]

    def __str__(self) -> str:
        return f"{self.decision} by {self.expert}"


class ReviewSkip(Skip):
    """An answer whose review an expert put off."""

    item = models.ForeignKey(ReviewItem, models.CASCADE, related_name="skips")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "expert"], name="skip_once")]
