"""Abstract tables of a queue: items that one expert holds at a time, decisions, and skips."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class QueueItem(models.Model):
    """An item that experts decide: its state, its place in a random order, and who holds it now."""

    class State(models.TextChoices):
        OPEN = "open", _("waiting")
        HALF = "half", _("waiting for a second expert")
        DISPUTED = "disputed", _("disputed")
        DONE = "done", _("decided")

    study = models.ForeignKey("studies.Study", models.PROTECT, related_name="+", db_index=False)
    simulated = models.BooleanField(default=False)
    # Two numbers in [0, 1) derived from the study's secret and the answer: the order, and the choice of double
    # decisions.
    draw = models.FloatField()
    double_draw = models.FloatField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    # Only one expert at a time is offered the item. Their browser names it by this key.
    key = models.CharField(max_length=22, blank=True, default="")
    holder = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    held_until = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class ExpertDecision(models.Model):
    """One expert's decision on an item; never changed, only undone."""

    study = models.ForeignKey("studies.Study", models.PROTECT, related_name="+", db_index=False)
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="%(class)ss")
    # True if the item was drawn for two experts.
    doubled = models.BooleanField(default=False)
    note = models.TextField(blank=True, default="")
    key = models.CharField(max_length=22, unique=True)
    shown = models.JSONField(default=dict)
    at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class Skip(models.Model):
    """An item that an expert skipped; it comes back after everything else."""

    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"put off by {self.expert}"
