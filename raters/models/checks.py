"""How a session's first checks went: what was drawn, what was answered, and what it came to."""

from __future__ import annotations

from django.db import models

from raters.models.people import Session


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
