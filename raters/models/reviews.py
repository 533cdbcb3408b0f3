"""What experts decide about reasons, and the queue that brings them there."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from raters.models.answers import Answer


class ReviewItem(models.Model):
    """An answer with a reason in its study's queue: where it stands, its place in a random order, who has it now."""

    class State(models.TextChoices):
        OPEN = "open", _("waiting")
        HALF = "half", _("waiting for a second expert")
        DISPUTED = "disputed", _("disputed")
        DONE = "done", _("decided")

    answer = models.OneToOneField(Answer, models.PROTECT, primary_key=True, related_name="review_item")
    study = models.ForeignKey("studies.Study", models.PROTECT, related_name="+", db_index=False)
    simulated = models.BooleanField(default=False)
    # Two numbers in [0, 1) made of the study's secret and the answer: the order, and who is reviewed twice.
    draw = models.FloatField()
    double_draw = models.FloatField()
    flags = models.JSONField(default=list)
    flagged = models.BooleanField(default=False)
    # Of the bare letters of the reason: the same for copies.
    digest = models.CharField(max_length=32)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    # What was decided for good; empty until then.
    decision = models.CharField(max_length=12, blank=True, default="")
    # While one expert has it, nobody else is offered it. The key names it in their browser.
    key = models.CharField(max_length=22, blank=True, default="")
    holder = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    held_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key"], name="review_key_once", condition=~Q(key=""))]
        indexes = [
            models.Index(fields=["study", "state", "draw"], name="review_queue"),
            models.Index(fields=["study", "digest"], name="review_copies"),
        ]

    def __str__(self) -> str:
        return f"review of {self.answer}"


class Review(models.Model):
    """One expert's decision on one answer; never changed, only taken back."""

    class Decision(models.TextChoices):
        CONSISTENT = "consistent", _("Consistent")
        INCONSISTENT = "inconsistent", _("Inconsistent")
        CANNOT_TELL = "cannot_tell", _("Cannot tell")

    class Purpose(models.TextChoices):
        FIRST = "first", _("first review")
        DOUBLE = "double", _("second review")
        ADJUDICATION = "adjudication", _("adjudication")

    answer = models.ForeignKey(Answer, models.PROTECT, related_name="reviews")
    study = models.ForeignKey("studies.Study", models.PROTECT, related_name="+", db_index=False)
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=12, choices=Decision)
    purpose = models.CharField(max_length=12, choices=Purpose)
    # Whether the answer was in the random share that two experts review.
    doubled = models.BooleanField(default=False)
    note = models.TextField(blank=True, default="")
    key = models.CharField(max_length=22, unique=True)
    shown = models.JSONField(default=dict)
    at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

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


class ReviewSkip(models.Model):
    """An answer that an expert put off: it comes to them again after everything else."""

    item = models.ForeignKey(ReviewItem, models.CASCADE, related_name="skips")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "expert"], name="skip_once")]

    def __str__(self) -> str:
        return f"put off by {self.expert}"
