"""What experts find in the words of raters: codes, and the queue of texts that are coded."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from raters.models.answers import Answer, Rating
from raters.models.queue import Decided, Queued, Skip


class CodingItem(Queued):
    """A text in its study's queue: the reason of an answer, or the comment on one question of it."""

    answer = models.ForeignKey(Answer, models.PROTECT, related_name="coding_items")
    # The row whose comment it is; none: the reason.
    rating = models.OneToOneField(Rating, models.PROTECT, null=True, related_name="coding_item")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key"], name="coding_key_once", condition=~Q(key="")),
            models.UniqueConstraint(fields=["answer"], name="coding_reason_once", condition=Q(rating=None)),
        ]
        indexes = [models.Index(fields=["study", "state", "simulated", "draw"], name="coding_next")]

    def __str__(self) -> str:
        return f"coding of {self.answer}"


class Coding(Decided):
    """All that one expert found in one text; without marks, nothing."""

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
    """One code found in a text, with the words that carry it; name and dimension as they were at the time."""

    class Polarity(models.TextChoices):
        HUMAN = "human", _("human cue")
        MACHINE = "machine", _("machine cue")

    coding = models.ForeignKey(Coding, models.CASCADE, related_name="marks")
    code = models.CharField(max_length=40)
    name = models.CharField(max_length=100)
    dimension = models.CharField(max_length=100, blank=True, default="")
    polarity = models.CharField(max_length=10, choices=Polarity, blank=True, default="")
    # Characters of the text as it was stored: from `start` up to, but not including, `stop`; none: all of it.
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
    """A text whose coding an expert put off."""

    item = models.ForeignKey(CodingItem, models.CASCADE, related_name="skips")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "expert"], name="coding_skip_once")]
