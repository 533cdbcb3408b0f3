"""Pseudonymous raters, platform ids in a separate table, sessions, and erasure requests."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core import sealing
from core.jobs import QUEUED, RUNNING, Job


class Rater(models.Model):
    """A person, identified only by a number."""

    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"rater {self.pk}"


class Identities(models.QuerySet["Identity"]):
    """Look up and store identities by the platforms' ids."""

    def with_id(self, source: str, person: str) -> Self:
        """Return the identity with this platform id, as a query set of at most one row."""
        return self.filter(source=source, digest__in=sealing.digests("person", source, person))

    def store(self, *, rater: Rater, source: str, person: str) -> Identity:
        """Store a rater's platform id as a digest and encrypted; only this server can look it up or read it."""
        return self.create(
            rater=rater, source=source, digest=sealing.digest("person", source, person), sealed=sealing.seal(person)
        )


class Identity(models.Model):
    """A platform's id of a person; deleting the row makes their answers anonymous."""

    rater = models.ForeignKey(Rater, models.CASCADE, related_name="identities")
    source = models.CharField(max_length=30)
    # For recognizing a returning person; `sealed` is for payments.
    digest = models.CharField(max_length=64)
    sealed = models.TextField()

    objects = Identities.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "digest"], name="person_once")]
        verbose_name_plural = "identities"

    def __str__(self) -> str:
        return f"{self.source} identity of {self.rater}"

    @property
    def person(self) -> str:
        """The platform's id; raises `Unreadable` if the key is missing."""
        return sealing.opened(self.sealed)


# Separates the platform's study id from a suffix that tells apart two people with the same session id.
APART = "~"


def plain_study(ext_study: str) -> str:
    """Return the study id as the platform writes it, without our suffix."""
    return ext_study.partition(APART)[0]


class Session(models.Model):
    """A rater's participation in a study."""

    class Step(models.TextChoices):
        CONSENT = "consent", _("reading the information")
        CHECKS = "checks", _("being checked")
        INSTRUCTIONS = "instructions", _("reading the instructions")
        PRACTICE = "practice", _("practising")
        RATING = "rating", _("rating")
        QUESTIONS = "questions", _("answering questions")
        ENDED = "ended", _("ended")

    class Outcome(models.TextChoices):
        NONE = "", _("under way")
        COMPLETE = "complete", _("complete")
        DECLINED = "declined", _("declined")
        BAD_DEVICE = "bad_device", _("device won’t do")
        SCREENED_OUT = "screened_out", _("screened out")
        FAILED_COMPREHENSION = "failed_comprehension", _("failed comprehension")
        FAILED_ATTENTION = "failed_attention", _("failed attention")
        TECHNICAL_FAILURE = "technical_failure", _("technical failure")
        WITHDRAWN = "withdrawn", _("withdrawn")
        NO_PLACE = "no_place", _("no place free")

    class Proof(models.TextChoices):
        UNSIGNED = "unsigned", _("unsigned link")
        SIGNED = "signed", _("signed link")
        INVITED = "invited", _("personal link")
        ANONYMOUS = "anonymous", _("open link")

    rater = models.ForeignKey(Rater, models.PROTECT, related_name="sessions")
    study = models.ForeignKey("studies.Study", models.PROTECT, related_name="sessions")
    version = models.ForeignKey("studies.StudyVersion", models.PROTECT, db_index=False, related_name="sessions")
    # Not counted as a real rater: simulated, or (with `preview`) a researcher's preview.
    simulated = models.BooleanField(default=False)
    preview = models.BooleanField(default=False)
    source = models.CharField(max_length=30)
    ext_study = models.CharField(max_length=128)
    ext_session = models.CharField(max_length=128)
    # How reliably the person was identified.
    proof = models.CharField(max_length=10, choices=Proof, default=Proof.UNSIGNED)
    step = models.CharField(max_length=20, choices=Step, default=Step.CONSENT)
    outcome = models.CharField(max_length=20, choices=Outcome, default=Outcome.NONE, blank=True)
    # Whether this session is paid, regardless of its answers; null: a person decides.
    payable = models.BooleanField(null=True, blank=True)
    # The user signed in here when the session was opened; they don't review its answers.
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    # Nonce of the newest tab; older tabs show that the study is open elsewhere.
    tab = models.CharField(max_length=22, default="", blank=True)
    arrived_at = models.DateTimeField()
    consented_at = models.DateTimeField(null=True, blank=True)
    # Language of the rater's pages; empty in sessions of an earlier release, which use the study's.
    language = models.CharField(max_length=35, default="", db_default="", blank=True)
    consent_sha256 = models.CharField(max_length=64, blank=True, default="")
    started_at = models.DateTimeField(null=True, blank=True)
    # Number and time of repeated volume and headphone checks between batches.
    rechecks = models.PositiveSmallIntegerField(default=0, db_default=0)
    checked_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    # Key of another person's session in this study, from the browser's cookie on arrival. Not a foreign key, because an
    # erasure would follow it to the other person.
    browser_before = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "ext_study", "ext_session"], name="external_session_once")
        ]

    def __str__(self) -> str:
        return f"session {self.pk}"


# Rating is over and the outcome decided; only questions about the rater may follow.
OVER = (Session.Step.QUESTIONS, Session.Step.ENDED)
# Outcomes not listed are left to a person, so that pay is never refused automatically.
PAYABLE = {
    Session.Outcome.COMPLETE: True,
    Session.Outcome.SCREENED_OUT: True,
    Session.Outcome.DECLINED: False,
    Session.Outcome.BAD_DEVICE: False,
    Session.Outcome.FAILED_COMPREHENSION: False,
    Session.Outcome.WITHDRAWN: False,
    # Unless the study sets a pay for it (`finishing.is_payable`).
    Session.Outcome.NO_PLACE: False,
}


UNDONE = "undone"
# Rule of the verdict that excludes a session when its rater asks for deletion.
DELETION = "deletion_asked"


class Erasure(Job):
    """A request to delete data. Once carried out, it contains only counts.

    It can be undone until `queued_at`.
    """

    class Kind(models.TextChoices):
        ANSWERS = "answers", _("the answers of a session")
        PERSON = "person", _("all that is known of a person")

    kind = models.CharField(max_length=10, choices=Kind)
    rater = models.ForeignKey(Rater, models.PROTECT, related_name="erasures")
    # Null: all sessions of the rater.
    session = models.ForeignKey(Session, models.PROTECT, null=True, related_name="erasures")
    asked_at = models.DateTimeField()
    # Null: the rater.
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    # The rows are deleted; files made from them may remain until the job is done.
    erased_at = models.DateTimeField(null=True)
    # {"answers": 12, "ratings": 12, …}
    counts = models.JSONField(default=dict)
    # Name of its entry in the ledger outside the database, replayed after a restore.
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
    """The time a study was closed, from which the retention of its raters' platform ids is counted."""

    study = models.OneToOneField("studies.Study", models.CASCADE, related_name="identity_term")
    closed_at = models.DateTimeField()
    forgotten_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"identities of {self.study}"
