"""Queues for experts: items that one of them holds, decisions on reasons, codes found, and the job that fills them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.jobs import Job
from raters.rating.models import Answer, Rating
from studies.decisions.bases import ExpertDecision, QueueItem, Skip


class ReviewItem(QueueItem):
    """An answer with a reason in its study's queue."""

    answer = models.OneToOneField(Answer, models.PROTECT, primary_key=True, related_name="review_item")
    flags = models.JSONField(default=list)
    flagged = models.BooleanField(default=False)
    # Version of the rules that flagged it when it was queued.
    rules = models.PositiveSmallIntegerField(default=1, db_default=1)
    # Digest of the reason's letters: equal for copies.
    digest = models.CharField(max_length=32)
    # True once compared with the reasons of all other raters.
    compared = models.BooleanField(default=False)
    # The final decision; empty until then.
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


class Review(ExpertDecision):
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
    """An answer that an expert skipped in the review."""

    item = models.ForeignKey(ReviewItem, models.CASCADE, related_name="skips")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "expert"], name="skip_once")]


class CodingItem(QueueItem):
    """A text in its study's coding queue: the reason of an answer, or the comment on one of its questions."""

    answer = models.ForeignKey(Answer, models.PROTECT, related_name="coding_items")
    # The rating with the comment; null for the reason.
    rating = models.OneToOneField(Rating, models.PROTECT, null=True, related_name="coding_item")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key"], name="coding_key_once", condition=~Q(key="")),
            models.UniqueConstraint(fields=["answer"], name="coding_reason_once", condition=Q(rating=None)),
        ]
        indexes = [models.Index(fields=["study", "state", "simulated", "draw"], name="coding_next")]

    def __str__(self) -> str:
        return f"coding of {self.answer}"


class Coding(ExpertDecision):
    """One expert's coding of one text; no marks: no code fits."""

    class Purpose(models.TextChoices):
        FIRST = "first", _("first coding")
        DOUBLE = "double", _("second coding")

    item = models.ForeignKey(CodingItem, models.PROTECT, related_name="codings")
    purpose = models.CharField(max_length=12, choices=Purpose)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "expert"], name="coding_once_an_expert", condition=Q(revoked_at=None)
            ),
            models.UniqueConstraint(
                fields=["item", "purpose"], name="coding_once_a_purpose", condition=Q(revoked_at=None)
            ),
        ]
        indexes = [models.Index(fields=["study", "expert", "at"], name="coding_by_expert")]

    def __str__(self) -> str:
        return f"coding by {self.expert}"


class CodingMark(models.Model):
    """A code found in a text, with the words marked; code name and dimension as of that time."""

    class Polarity(models.TextChoices):
        HUMAN = "human", _("human cue")
        MACHINE = "machine", _("machine cue")

    coding = models.ForeignKey(Coding, models.CASCADE, related_name="marks")
    code = models.CharField(max_length=40)
    name = models.CharField(max_length=100)
    dimension = models.CharField(max_length=100, blank=True, default="")
    polarity = models.CharField(max_length=10, choices=Polarity, blank=True, default="")
    # Character positions in the stored text, `stop` exclusive; null: the whole text.
    start = models.PositiveIntegerField(null=True)
    stop = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="mark_has_both_ends_or_none",
                condition=Q(start=None, stop=None) | Q(start__isnull=False, stop__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return self.code


class CodingSkip(Skip):
    """A text that an expert skipped in the coding."""

    item = models.ForeignKey(CodingItem, models.CASCADE, related_name="skips")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "expert"], name="coding_skip_once")]


class QueueFill(Job):
    """A job that searches a study's answers for items missing from the experts' queues."""

    study = models.OneToOneField("studies.Study", models.CASCADE, related_name="+")
    # Queue settings of the last search; after a change, all answers are searched again.
    wanted = models.CharField(max_length=40, blank=True, default="")

    task_name = "raters.fill_queues"
    # Keep trying: missing answers would go unnoticed.
    gives_up = False

    def __str__(self) -> str:
        return f"queues of {self.study}"
