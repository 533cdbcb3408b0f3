"""People: a pseudonymous rater, the platform's id kept apart, and their sessions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Rater(models.Model):
    """A person, known by nothing but a number."""

    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"rater {self.pk}"


class Identity(models.Model):
    """A platform's id of a person; deleting the row makes their answers anonymous."""

    rater = models.ForeignKey(Rater, models.CASCADE, related_name="identities")
    source = models.CharField(max_length=30)
    person = models.CharField(max_length=128)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "person"], name="person_once")]
        verbose_name_plural = "identities"

    def __str__(self) -> str:
        return f"{self.source} identity of {self.rater}"


class Session(models.Model):
    """One rater in one study."""

    class Step(models.TextChoices):
        CONSENT = "consent", _("reading the information")
        INSTRUCTIONS = "instructions", _("reading the instructions")
        RATING = "rating", _("rating")
        ENDED = "ended", _("ended")

    class Outcome(models.TextChoices):
        NONE = "", _("under way")
        COMPLETE = "complete", _("complete")
        DECLINED = "declined", _("declined")
        WITHDRAWN = "withdrawn", _("withdrawn")

    rater = models.ForeignKey(Rater, models.PROTECT, related_name="sessions")
    study = models.ForeignKey("studies.Study", models.PROTECT, related_name="sessions")
    version = models.ForeignKey("studies.StudyVersion", models.PROTECT, db_index=False, related_name="sessions")
    simulated = models.BooleanField(default=False)
    source = models.CharField(max_length=30)
    ext_study = models.CharField(max_length=128)
    ext_session = models.CharField(max_length=128)
    step = models.CharField(max_length=20, choices=Step, default=Step.CONSENT)
    outcome = models.CharField(max_length=20, choices=Outcome, default=Outcome.NONE, blank=True)
    # Who was signed in here when this session was opened: they don't review it.
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    # The newest tab's nonce: an older tab is told that the work goes on elsewhere.
    tab = models.CharField(max_length=22, default="", blank=True)
    arrived_at = models.DateTimeField()
    consented_at = models.DateTimeField(null=True, blank=True)
    consent_sha256 = models.CharField(max_length=64, blank=True, default="")
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "ext_study", "ext_session"], name="external_session_once")
        ]

    def __str__(self) -> str:
        return f"session {self.pk}"
