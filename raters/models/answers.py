"""What was submitted, the tidy rows of it, and decisions on what may be used."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from raters.models.people import Rater, Session
from raters.models.trials import Batch, Trial


class Answer(models.Model):
    """What a rater submitted for a trial; inserted once, never changed."""

    trial = models.OneToOneField(Trial, models.PROTECT, primary_key=True, related_name="answer")
    idempotency = models.UUIDField(unique=True)
    body = models.JSONField()
    reason = models.TextField(blank=True, default="")
    evidence = models.JSONField(default=dict)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"answer to {self.trial}"


class Rating(models.Model):
    """One tidy row of an answer: what exports and scores read."""

    study = models.ForeignKey("studies.Study", models.PROTECT, related_name="+", db_index=False)
    trial = models.ForeignKey(Trial, models.PROTECT, related_name="ratings")
    clip = models.ForeignKey("studies.Clip", models.PROTECT, null=True, related_name="+", db_index=False)
    # The same clip may stand at two places: the reference of a screen and its hidden copy.
    place = models.PositiveSmallIntegerField(null=True)
    question = models.ForeignKey("studies.Question", models.PROTECT, null=True, related_name="+", db_index=False)
    part = models.CharField(max_length=40)
    code = models.CharField(max_length=100)
    value = models.FloatField(null=True)
    note = models.TextField(blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["study", "id"], name="rating_study")]

    def __str__(self) -> str:
        return f"{self.part}: {self.code}"


class Verdict(models.Model):
    """A recorded, revocable decision that something may not be used (or may after all)."""

    answer = models.ForeignKey(Answer, models.PROTECT, null=True, blank=True, related_name="verdicts")
    batch = models.ForeignKey(Batch, models.PROTECT, null=True, blank=True, related_name="verdicts")
    session = models.ForeignKey(Session, models.PROTECT, null=True, blank=True, related_name="verdicts")
    rater = models.ForeignKey(Rater, models.PROTECT, null=True, blank=True, related_name="verdicts")
    clip = models.ForeignKey("studies.Clip", models.PROTECT, null=True, blank=True, related_name="verdicts")
    rule = models.CharField(max_length=40)
    rule_version = models.PositiveSmallIntegerField(default=1)
    usable = models.BooleanField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="verdict_on_one_thing",
                condition=(
                    Q(answer__isnull=False, batch=None, session=None, rater=None, clip=None)
                    | Q(answer=None, batch__isnull=False, session=None, rater=None, clip=None)
                    | Q(answer=None, batch=None, session__isnull=False, rater=None, clip=None)
                    | Q(answer=None, batch=None, session=None, rater__isnull=False, clip=None)
                    | Q(answer=None, batch=None, session=None, rater=None, clip__isnull=False)
                ),
            )
        ]

    def __str__(self) -> str:
        return f"{self.rule}: {'usable' if self.usable else 'not usable'}"
