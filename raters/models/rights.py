"""What raters ask of us: that their answers, or all that we know of them, be deleted; and how long names are kept."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.jobs import QUEUED, RUNNING, Job
from raters.models.people import Rater, Session

UNDONE = "undone"
# The rule by which a session is kept out from the moment at which its rater asks for its deletion.
DELETION = "deletion_asked"


class Erasure(Job):
    """A request to delete, waiting for its time, and afterwards all that is left to see: numbers, and no word.

    `queued_at` is when the time to think again is over; until then it can be undone.
    """

    class Kind(models.TextChoices):
        ANSWERS = "answers", _("the answers of a session")
        PERSON = "person", _("all that is known of a person")

    kind = models.CharField(max_length=10, choices=Kind)
    rater = models.ForeignKey(Rater, models.PROTECT, related_name="erasures")
    # None: all sessions of the rater.
    session = models.ForeignKey(Session, models.PROTECT, null=True, related_name="erasures")
    asked_at = models.DateTimeField()
    # None: the rater.
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    # The rows are gone; files that were made of them may still be there.
    erased_at = models.DateTimeField(null=True)
    # {"answers": 12, "ratings": 12, …}
    counts = models.JSONField(default=dict)
    # Where it stands in the list outside of the database that is gone through after a restore.
    listed = models.CharField(max_length=200, blank=True, default="")

    task_name = "raters.erase"
    gives_up = False

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session"], condition=Q(state__in=[QUEUED, RUNNING]), name="one_erasure_of_a_session"
            ),
            models.UniqueConstraint(
                fields=["rater"], condition=Q(state__in=[QUEUED, RUNNING], session=None), name="one_erasure_of_a_rater"
            ),
        ]
        permissions = [("erase_anyone", "Can erase people who took part in studies of others")]

    def __str__(self) -> str:
        return f"erasure of {self.session or self.rater}"


class IdentityTerm(models.Model):
    """How long a closed study's people stay known by the platform's ids."""

    study = models.OneToOneField("studies.Study", models.CASCADE, related_name="identity_term")
    closed_at = models.DateTimeField()
    forgotten_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"identities of {self.study}"
