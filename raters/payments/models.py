"""The platform's studies and submissions, and lists of payments to carry out there."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.jobs import QUEUED, RUNNING, Job
from raters import sources
from raters.people.models import Session
from raters.sources.payment_platform import PaymentPlatform

# Prefix of the names of erased people.
ERASED = "erased-"


class PlatformStudy(Job):
    """A study at the platform whose people rate one of ours; its submissions are read again and again."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="platform_studies")
    source = models.CharField(max_length=30, default="prolific")
    ext_study = models.CharField(max_length=64)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    # As last read from the platform; empty until then.
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

    @property
    def payment_platform(self) -> PaymentPlatform:
        """The payment platform of the study's source; raises `NotFound` if that source is not installed."""
        return sources.payment_platform(self.source)


class Submission(models.Model):
    """One person's submission at the platform. Who they are is stored only in the table of identities."""

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
    # Lists of submissions contain no bonuses: whether this one must be read individually.
    unread = models.BooleanField(default=False)
    seen_at = models.DateTimeField()
    # When its places went back to the pool because the person gave it back or ran out of time.
    released_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["platform", "ext_session"], name="submission_once")]
        # Of those, home pages count all.
        indexes = [models.Index(fields=["platform"], name="submission_waiting", condition=Q(state="awaiting_review"))]

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


# Before a person has said yes, and after they have said no, no worker touches a list.
DRAFT, DROPPED = "draft", "dropped"
OPEN_LISTS = (DRAFT, QUEUED, RUNNING)


class PaymentList(Job):
    """Things of one kind to do at the platform, in one go."""

    class Kind(models.TextChoices):
        APPROVE = "approve", _("Approve")
        BONUS = "bonus", _("Pay bonuses")
        SCREEN_OUT = "screen_out", _("Pay screened-out people")
        REQUEST_RETURN = "request_return", _("Ask to return")
        REJECT = "reject", _("Reject")
        PLACES = "places", _("Add places")

    platform = models.ForeignKey(PlatformStudy, models.PROTECT, related_name="lists")
    kind = models.CharField(max_length=20, choices=Kind)
    # The message to participants, for lists that send one.
    message = models.TextField(blank=True, default="")
    # How many places the platform's study is to have; only of that kind.
    places = models.PositiveIntegerField(null=True)
    currency = models.CharField(max_length=3, blank=True, default="")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    # How often it was requeued without an error; these tries don't count as failures.
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
    """One submission on a list."""

    class State(models.TextChoices):
        PREPARED = "prepared", _("to be done")
        # Written before the call to the platform: a row found in this state has an unknown result.
        SENDING = "sending", _("being sent")
        DONE = "done", _("done")
        FAILED = "failed", _("refused")
        UNCLEAR = "unclear", _("unclear")
        REMOVED = "removed", _("taken off")

    list = models.ForeignKey(PaymentList, models.CASCADE, related_name="payments", db_index=False)
    submission = models.ForeignKey(Submission, models.PROTECT, related_name="payments")
    amount = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    # Why, as it stood when the list was made: counts of what was done, or the checks that were failed.
    grounds = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State, default=State.PREPARED)
    # The platform's own name of the order that this was part of.
    order = models.CharField(max_length=64, blank=True, default="")
    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["list", "submission"], name="once_on_a_list")]

    def __str__(self) -> str:
        return f"payment {self.pk}"
