"""Check results and questionnaire answers."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from raters.people.models import Session


class CheckResult(models.Model):
    """The result of one check in a session; never changed once decided."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="checks", db_index=False)
    name = models.CharField(max_length=30)
    # 0 before the first clip; 1, 2, … between batches.
    round = models.PositiveSmallIntegerField(default=0)
    rule_version = models.PositiveSmallIntegerField()
    tries = models.PositiveSmallIntegerField(default=1)
    # Steps of the current try, with right answers (never sent to the browser) and sound keys.
    drawn = models.JSONField(default=list)
    # One list of step answers per try.
    answers = models.JSONField(default=list)
    # True while the page shows whether the last answer was right.
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
    """A fair attention check, with question, answer and result.

    Traps, golden questions and hearing tests measure performance, so they are never stored here.
    """

    class Kind(models.TextChoices):
        INSTRUCTION = "instruction", _("an instruction said what to answer")
        NONSENSE = "nonsense", _("no attentive person agrees")

    session = models.ForeignKey(Session, models.CASCADE, related_name="fair_checks", db_index=False)
    kind = models.CharField(max_length=20, choices=Kind)
    # All questions on one page count as one check.
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
    """The answer to one question of the questionnaire, with the version that asked it."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="responses", db_index=False)
    version = models.ForeignKey("studies.StudyVersion", models.PROTECT, related_name="+", db_index=False)
    key = models.CharField(max_length=20)
    # Canonical and untranslated; two languages are joined by "|". Empty if there is only text.
    code = models.CharField(max_length=40, blank=True, default="")
    words = models.TextField(blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "key"], name="question_once_a_session")]

    def __str__(self) -> str:
        return f"{self.session}: {self.key}"
