"""What is to be done about people's pay: prepared as a list, checked by a person, carried out once."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.jobs import QUEUED, RUNNING, Job
from raters.models.platforms import PlatformStudy, Submission

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
    # What people are told, where they are told anything.
    message = models.TextField(blank=True, default="")
    # How many places the platform's study is to have; only of that kind.
    places = models.PositiveIntegerField(null=True)
    currency = models.CharField(max_length=3, blank=True, default="")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    # How often it went back into the queue in good order, which counts as no failure.
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
        # Written before the platform is called: whoever finds it so can't know what became of the call.
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
