"""What raters said about themselves after the ratings."""

from __future__ import annotations

from django.db import models

from raters.models.people import Session


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
