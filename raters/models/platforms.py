"""What a crowd platform says of its own: its studies, and where each person's submission there stands."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.jobs import Job
from raters.models.people import Session

# How the names of people begin who were erased here.
ERASED = "erased-"


class PlatformStudy(Job):
    """A study at the platform whose people rate one of ours; its submissions are read again and again."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="platform_studies")
    source = models.CharField(max_length=30, default="prolific")
    ext_study = models.CharField(max_length=64)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    # As the platform told it last; empty until it was asked.
    status = models.CharField(max_length=30, blank=True, default="")
    reward = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    currency = models.CharField(max_length=3, blank=True, default="")
    minutes = models.PositiveIntegerField(null=True)
    places = models.PositiveIntegerField(null=True)
    # When all of its submissions were known last, by reading or by an uploaded list.
    read_at = models.DateTimeField(null=True)

    task_name = "raters.read_submissions"
    # The next reading begins soon after the last one, whatever became of it.
    gives_up = False

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "ext_study"], name="platform_study_once")]

    def __str__(self) -> str:
        return f"{self.source} {self.ext_study}"


class Submission(models.Model):
    """One person's place at the platform. Who they are stands in the table of identities alone."""

    class State(models.TextChoices):
        RESERVED = "reserved", _("place reserved")
        ACTIVE = "active", _("under way")
        AWAITING_REVIEW = "awaiting_review", _("awaiting review")
        APPROVED = "approved", _("approved")
        PARTIALLY_APPROVED = "partially_approved", _("partly approved")
        RETURNED = "returned", _("returned")
        TIMED_OUT = "timed_out", _("timed out")
        REJECTED = "rejected", _("rejected")
        SCREENED_OUT = "screened_out", _("screened out")
        UNKNOWN = "unknown", _("unknown")

    platform = models.ForeignKey(PlatformStudy, models.CASCADE, related_name="submissions", db_index=False)
    ext_session = models.CharField(max_length=128)
    session = models.ForeignKey(Session, models.SET_NULL, null=True, related_name="submissions")
    state = models.CharField(max_length=20, choices=State, default=State.UNKNOWN)
    code = models.CharField(max_length=100, blank=True, default="")
    started_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)
    return_asked_at = models.DateTimeField(null=True)
    # Whether the platform's person is ours; None: one of the two isn't known.
    same_person = models.BooleanField(null=True)
    # All bonuses together, in the currency of the study; None: not read yet.
    bonus = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    # The list of submissions tells no bonuses: whether this one is to be read by itself.
    unread = models.BooleanField(default=False)
    seen_at = models.DateTimeField()
    # When its places went back to the pool because the person gave it back or ran out of time.
    released_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["platform", "ext_session"], name="submission_once")]

    def __str__(self) -> str:
        return f"submission {self.pk}"

    @property
    def is_erased(self) -> bool:
        """Say whether its person was erased here: the platform knows it by another name."""
        return self.ext_session.startswith(ERASED)


class PlatformEvent(models.Model):
    """A message of the platform's that was taken, so that it counts once."""

    event = models.CharField(max_length=100, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"event {self.pk}"
