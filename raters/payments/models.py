"""Platform studies, their submissions, and payment lists."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.jobs import QUEUED, RUNNING, Job
from raters import sources
from raters.people.models import Session
from raters.sources.payment_platform import PaymentPlatform

# Prefix of erased people's ids.
ERASED = "erased-"


class PlatformStudy(Job):
    """A study at the platform that sends raters to one of ours; its submissions are read every few minutes."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="platform_studies")
    source = models.CharField(max_length=30, default="prolific")
    ext_study = models.CharField(max_length=64)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    # From the last reading; empty before it.
    status = models.CharField(max_length=30, blank=True, default="")
    reward = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    currency = models.CharField(max_length=3, blank=True, default="")
    minutes = models.PositiveIntegerField(null=True)
    places = models.PositiveIntegerField(null=True)
    # Time of the last complete list of submissions, read or uploaded.
    read_at = models.DateTimeField(null=True)

    task_name = "raters.read_submissions"
    # The next reading follows soon, even after a failure.
    gives_up = False

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "ext_study"], name="platform_study_once")]

    def __str__(self) -> str:
        return f"{self.source} {self.ext_study}"

    @property
    def payment_platform(self) -> PaymentPlatform:
        """The payment platform of the study's source; raises `NotFound` if that source is not installed."""
        return sources.payment_platform(self.source)


class Submission(models.Model):
    """A person's submission at the platform. The person's id is stored only in the table of identities."""

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
    # Whether the platform names the same person as we do; null if either is unknown.
    same_person = models.BooleanField(null=True)
    # Sum of all bonuses, in the study's currency; null: not read yet.
    bonus = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    # True if bonuses must be read for this submission individually; lists don't contain them.
    unread = models.BooleanField(default=False)
    seen_at = models.DateTimeField()
    # When its places were released, after a return or timeout.
    released_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["platform", "ext_session"], name="submission_once")]
        # Home pages count these.
        indexes = [models.Index(fields=["platform"], name="submission_waiting", condition=Q(state="awaiting_review"))]

    def __str__(self) -> str:
        return f"submission {self.pk}"

    @property
    def is_erased(self) -> bool:
        """True if the person was erased here; the id is a tombstone then."""
        return self.ext_session.startswith(ERASED)


class PlatformEvent(models.Model):
    """A processed webhook message, stored so that repeats are ignored."""

    event = models.CharField(max_length=100, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"event {self.pk}"


# Workers ignore lists in these states: drafts before confirmation, and discarded drafts.
DRAFT, DROPPED = "draft", "dropped"
OPEN_LISTS = (DRAFT, QUEUED, RUNNING)


class PaymentList(Job):
    """Actions of one kind at the platform, carried out together."""

    class Kind(models.TextChoices):
        APPROVE = "approve", _("Approve")
        BONUS = "bonus", _("Pay bonuses")
        SCREEN_OUT = "screen_out", _("Pay screened-out people")
        REQUEST_RETURN = "request_return", _("Ask to return")
        REJECT = "reject", _("Reject")
        PLACES = "places", _("Add places")

    platform = models.ForeignKey(PlatformStudy, models.PROTECT, related_name="lists")
    kind = models.CharField(max_length=20, choices=Kind)
    # Message to participants, for kinds that send one.
    message = models.TextField(blank=True, default="")
    # New total of places; only for kind `places`.
    places = models.PositiveIntegerField(null=True)
    currency = models.CharField(max_length=3, blank=True, default="")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    # Number of requeues without an error; they don't count as failed tries.
    pauses = models.PositiveIntegerField(default=0)

    task_name = "raters.carry_out"
    gives_up = False

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["platform", "kind"], condition=Q(state__in=OPEN_LISTS), name="one_open_list_of_a_kind"
            )
        ]
        permissions = [("pay_raters", "Can approve, reject and pay raters")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.platform}"


class Payment(models.Model):
    """A submission on a list, with its amount and result."""

    class State(models.TextChoices):
        PREPARED = "prepared", _("to be done")
        # Written before the call to the platform: a row left in this state has an unknown result.
        SENDING = "sending", _("being sent")
        DONE = "done", _("done")
        FAILED = "failed", _("refused")
        UNCLEAR = "unclear", _("unclear")
        REMOVED = "removed", _("taken off")

    list = models.ForeignKey(PaymentList, models.CASCADE, related_name="payments", db_index=False)
    submission = models.ForeignKey(Submission, models.PROTECT, related_name="payments")
    amount = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    # Reasons at the time of listing: counts of the work done, or the failed checks.
    grounds = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State, default=State.PREPARED)
    # The platform's id of the bonus order.
    order = models.CharField(max_length=64, blank=True, default="")
    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["list", "submission"], name="once_on_a_list")]

    def __str__(self) -> str:
        return f"payment {self.pk}"
