"""Texts of a study before they are spoken: their versions, comments and reviews, and the study's own dimensions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.definition.models import Study


class CorpusText(models.Model):
    """A text with its newest version; a clip speaks it when its study and its `text_id` are the same."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        # By one expert; then by a second one.
        ACCEPTED = "accepted", _("accepted")
        CHECKED = "checked", _("cross-checked")
        REJECTED = "rejected", _("rejected")

    class Box(models.TextChoices):
        WHITE = "white", _("white box")
        BLACK = "black", _("black box")

    study = models.ForeignKey(Study, models.CASCADE, related_name="corpus")
    # The `text_id` of clips.
    name = models.CharField(max_length=200)
    language = models.CharField(max_length=20, blank=True, default="")
    dimension = models.CharField(max_length=100, blank=True, default="")
    box = models.CharField(max_length=20, choices=Box, blank=True, default="")
    source = models.CharField(max_length=300, blank=True, default="")
    licence = models.CharField(max_length=200, blank=True, default="")
    # The newest version's, and its number.
    body = models.TextField(blank=True, default="")
    version = models.PositiveIntegerField(default=1)
    # How it should be spoken, for synthesis; raters see it where the study shows context.
    style = models.TextField(blank=True, default="")
    # The dialogue before it: [{"speaker": "A", "text": "…"}, …]
    turns = models.JSONField(default=list, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    checked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    reject_reason = models.TextField(blank=True, default="")
    # What automatic checks found: [{"code": "duplicate", "detail": "t012"}, …]; `words.FLAGS` has the sentences.
    flags = models.JSONField(default=list, blank=True)
    # Empty for a text that a model drafted.
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="corpus_text_once")]
        ordering = ["study", "name"]

    def __str__(self) -> str:
        return self.name


class TextVersion(models.Model):
    """A present or earlier body of a text; never changed."""

    text = models.ForeignKey(CorpusText, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    body = models.TextField()
    # Empty: a model wrote it.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    note = models.CharField(max_length=300, blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["text", "number"], name="text_version_once")]
        ordering = ["text", "number"]

    def __str__(self) -> str:
        return f"{self.text}, version {self.number}"


class TextComment(models.Model):
    """A remark of somebody who works on a text."""

    text = models.ForeignKey(CorpusText, models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    body = models.TextField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.body


class CorpusSettings(models.Model):
    """Settings for writing a study's texts; without a row, the defaults."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="corpus_settings")
    # [{"name": "Polyphonic characters", "explanation": "…"}, …]; empty: the dimensions of the ATT paper.
    dimensions = models.JSONField(default=list, blank=True)
    # True if lists for synthesis need texts that a second person checked.
    cross_check = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"corpus of {self.study}"
