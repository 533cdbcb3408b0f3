"""How a session's checks went, and what raters said about themselves."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from raters.people.models import Session


class CheckResult(models.Model):
    """One check of a session; decided once, and a mark on the session where it was not passed."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="checks", db_index=False)
    name = models.CharField(max_length=30)
    # 0 before the first clip; 1, 2, … between batches.
    round = models.PositiveSmallIntegerField(default=0)
    rule_version = models.PositiveSmallIntegerField()
    tries = models.PositiveSmallIntegerField(default=1)
    # The steps of the open try with their right answers, which stay here, and the keys of their sounds.
    drawn = models.JSONField(default=list)
    # What was answered: a list of steps for each try.
    answers = models.JSONField(default=list)
    # Whether the last answer's truth is being shown.
    telling = models.BooleanField(default=False)
    right = models.PositiveSmallIntegerField(null=True)
    of = models.PositiveSmallIntegerField(null=True)
    passed = models.BooleanField(null=True)
    began_at = models.DateTimeField()
    at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "name", "round"], name="check_once_a_round")]

    def __str__(self) -> str:
        return f"{self.session}: {self.name}"


class FairCheck(models.Model):
    """A fair attention check, and whether it was passed.

    Traps, golden questions and hearing tests measure performance, so they are never stored here.
    """

    class Kind(models.TextChoices):
        INSTRUCTION = "instruction", _("an instruction said what to answer")
        NONSENSE = "nonsense", _("no attentive person agrees")

    session = models.ForeignKey(Session, models.CASCADE, related_name="fair_checks", db_index=False)
    kind = models.CharField(max_length=20, choices=Kind)
    # Several questions on one page are one check.
    block = models.CharField(max_length=60)
    asked = models.CharField(max_length=500)
    answered = models.CharField(max_length=500)
    passed = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "block"], name="fair_check_once")]

    def __str__(self) -> str:
        return f"{self.session} · {self.block}"


class Response(models.Model):
    """The answer to one question of the questionnaire, under the version that asked it."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="responses", db_index=False)
    version = models.ForeignKey("studies.StudyVersion", models.PROTECT, related_name="+", db_index=False)
    key = models.CharField(max_length=20)
    # Canonical and never translated; two languages are joined by a bar. Empty where a rater wrote and nothing else.
    code = models.CharField(max_length=40, blank=True, default="")
    words = models.TextField(blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "key"], name="question_once_a_session")]

    def __str__(self) -> str:
        return f"{self.session}: {self.key}"
