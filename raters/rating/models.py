"""Batches, trials and their clips; answers, ratings, and verdicts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext

from core.jobs import Job
from raters.people.models import Rater, Session
from raters.rating.rule_names import rule_name

OPEN, EXPIRED, CLOSED = "open", "expired", "closed"
# For keys copied from a referenced row: the database checks them there.
COPIED: dict[str, Any] = {"db_index": False, "db_constraint": False}


class Batch(Job):
    """Trials validated together.

    States: `open` while its rater works and holds the lease, `queued` when full, then like any job; `expired` after an
    idle rater's lease, `closed` if the session ended first.
    """

    session = models.ForeignKey(Session, models.PROTECT, related_name="batches", db_index=False)
    number = models.PositiveSmallIntegerField()
    size = models.PositiveSmallIntegerField()
    opened_at = models.DateTimeField()
    expired_at = models.DateTimeField(null=True)
    valid = models.BooleanField(null=True)
    trap_counts = models.JSONField(default=dict)

    task_name = "raters.validate_batch"
    # Never given up: its answers are committed and its places taken, so it must be validated.
    gives_up = False

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "number"], name="batch_number_once")]
        indexes = [models.Index(fields=["state", "lease_until"], name="batch_waiting")]
        verbose_name_plural = "batches"

    def __str__(self) -> str:
        return f"{self.session} · batch {self.number}"


class Trial(models.Model):
    """One item served to one rater.

    Columns with `COPIED` duplicate values of its batch or place, for speed (ADR 42).
    """

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="trials", db_index=False)
    session = models.ForeignKey(Session, models.PROTECT, related_name="trials", **COPIED)
    rater = models.ForeignKey(Rater, models.PROTECT, related_name="trials", **COPIED)
    item = models.ForeignKey("studies.Item", models.PROTECT, related_name="trials")
    # 1 if it repeats an earlier trial of its batch, to compare the two answers.
    repeat = models.PositiveSmallIntegerField(default=0, db_default=0)
    # Number of the separate pass through its batch, from 1; 0 if the task has no passes (ADR 47).
    pass_number = models.PositiveSmallIntegerField(default=0, db_default=0)
    # Null for traps, repeats and later passes, which take no place.
    pool = models.ForeignKey("studies.Pool", models.PROTECT, null=True, related_name="trials", db_index=False)
    text = models.ForeignKey("studies.Text", models.PROTECT, null=True, related_name="+", **COPIED)
    position = models.PositiveSmallIntegerField()
    token = models.CharField(max_length=22)
    shown = models.JSONField()
    served_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    # Time of closing without an answer, because its clip could not be loaded.
    skipped_at = models.DateTimeField(null=True)
    holds = models.BooleanField(default=False)
    usable = models.BooleanField(null=True)
    surplus = models.BooleanField(default=False)
    late = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rater", "item", "repeat", "pass_number"], name="no_item_twice"),
            models.UniqueConstraint(fields=["batch", "position"], name="position_once"),
            models.UniqueConstraint(fields=["token"], name="trial_token_once"),
        ]
        indexes = [models.Index(fields=["pool"], name="trial_holds", condition=Q(holds=True))]

    def __str__(self) -> str:
        return f"{self.batch} · trial {self.position}"

    @property
    def is_closed(self) -> bool:
        """True if it was answered or skipped."""
        return self.answered_at is not None or self.skipped_at is not None


class TrialClip(models.Model):
    """A clip of a trial with its random key and the playback seen by the server."""

    trial = models.ForeignKey(Trial, models.PROTECT, related_name="clips", db_index=False)
    place = models.PositiveSmallIntegerField(default=0)
    clip = models.ForeignKey("studies.Clip", models.PROTECT, related_name="+", db_index=False)
    key = models.CharField(max_length=22)
    # Byte ranges sent so far, merged: [[0, 4096]]; empty once the whole file was sent.
    sent = models.JSONField(default=list)
    fetched_at = models.DateTimeField(null=True)
    play_began_at = models.DateTimeField(null=True)
    plays = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trial", "place"], name="trial_place_once"),
            models.UniqueConstraint(fields=["key"], name="clip_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.trial} · clip {self.place}"


class ClipFailure(models.Model):
    """A clip that a rater's browser could not load or play, so that its trial was skipped."""

    trial = models.OneToOneField(Trial, models.CASCADE, primary_key=True, related_name="failure")
    clip = models.ForeignKey("studies.Clip", models.PROTECT, related_name="+")
    # True if the server had sent the whole file, so the browser failed to play it.
    sent_whole = models.BooleanField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.trial}: {self.clip} failed"


class NewlyUsable(models.Model):
    """A batch with newly usable answers, until a worker has added them to the experts' queues."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"new answers of {self.batch}"


class Answer(models.Model):
    """A rater's submission for a trial; never changed."""

    trial = models.OneToOneField(Trial, models.PROTECT, primary_key=True, related_name="answer")
    idempotency = models.UUIDField(unique=True)
    body = models.JSONField()
    reason = models.TextField(blank=True, default="")
    evidence = models.JSONField(default=dict)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"answer to {self.trial}"


class Rating(models.Model):
    """One row of an answer in long format, for exports and scores."""

    study = models.ForeignKey("studies.Study", models.PROTECT, related_name="+", **COPIED)
    trial = models.ForeignKey(Trial, models.PROTECT, related_name="ratings")
    clip = models.ForeignKey("studies.Clip", models.PROTECT, null=True, related_name="+", **COPIED)
    # A screen may show a clip at two places: as the reference and as the hidden reference.
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
    """A revocable decision that something may not be used (or may)."""

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
        indexes = [
            models.Index(fields=["rule"], name="verdict_rule"),
            # Partial index of exclusions, which are few; each full batch has a verdict.
            models.Index(fields=["rule"], name="verdict_excludes", condition=Q(usable=False, revoked_at=None)),
        ]
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
        usable = gettext("usable") if self.usable else gettext("not usable")
        return f"{rule_name(self.rule)}: {usable}"
