"""The items of the spot check, and decisions on them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from studies.clips.models import Clip, System
from studies.definition.models import Study


class SpotItem(models.Model):
    """A clip, or several takes of one text by one voice, for experts to check."""

    class Kind(models.TextChoices):
        SUCCESS = "success", _("synthesis success")
        CONSISTENCY = "consistency", _("synthesis consistency")

    class State(models.TextChoices):
        OPEN = "open", _("waiting")
        DISPUTED = "disputed", _("disputed")
        DONE = "done", _("decided")

    class Outcome(models.TextChoices):
        PASSED = "passed", _("passed")
        FAILED = "failed", _("failed")
        CANNOT_TELL = "cannot_tell", _("cannot be told")

    study = models.ForeignKey(Study, models.CASCADE, related_name="spot_items", db_index=False)
    system = models.ForeignKey(System, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind)
    # True for the replacement of a failed clip: it doesn't count towards the share of failures.
    is_replacement = models.BooleanField(default=False)
    # In [0, 1): the order of the items, the same for all experts.
    order = models.FloatField()
    wanted = models.PositiveSmallIntegerField()
    given = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    outcome = models.CharField(max_length=12, choices=Outcome, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["study", "state", "order"], name="spot_queue")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} · {self.study}"


class SpotClip(models.Model):
    """A clip of an item, with its facts at that time: a draft's clips may be deleted, decisions are kept."""

    item = models.ForeignKey(SpotItem, models.CASCADE, related_name="clips", db_index=False)
    place = models.PositiveSmallIntegerField()
    clip = models.ForeignKey(Clip, models.SET_NULL, null=True, related_name="spot_clips")
    about = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "place"], name="spot_place_once")]
        ordering = ["item", "place"]

    def __str__(self) -> str:
        return str(self.about["file"])


class SpotTurn(models.Model):
    """An item shown to an expert, under a key of their own."""

    item = models.ForeignKey(SpotItem, models.CASCADE, related_name="turns")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=22, unique=True)
    # Until then, the expert counts as one of those who decide it.
    held_until = models.DateTimeField(null=True)
    put_off_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "expert"], name="spot_turn_once")]

    def __str__(self) -> str:
        return f"{self.item} before {self.expert}"


class SpotDecision(models.Model):
    """One expert's decision on one item; never changed, only revoked."""

    item = models.ForeignKey(SpotItem, models.CASCADE, related_name="decisions")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="spot_decisions")
    code = models.CharField(max_length=20)
    adjudicates = models.BooleanField(default=False)
    note = models.TextField(blank=True, default="")
    key = models.CharField(max_length=22, unique=True)
    shown = models.JSONField()
    at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "expert"], name="spot_once_an_expert", condition=Q(revoked_at=None)
            ),
            models.UniqueConstraint(
                fields=["item"], name="spot_one_adjudication", condition=Q(revoked_at=None, adjudicates=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code} by {self.expert}"
