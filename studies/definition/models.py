"""A study, and its numbered frozen versions."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core import clock
from studies.definition.definition import Definition
from studies.definition.parsing import parse


def new_secret() -> str:
    """Return the key of a study's pseudonyms."""
    return secrets.token_hex(32)


class Studies(models.Manager["Study"]):
    """All studies but the copies that previews are played in."""

    def get_queryset(self) -> models.QuerySet[Study]:
        return super().get_queryset().filter(preview_of=None)


class Study(models.Model):
    """One experiment. Its draft may change at any time; raters only ever meet a frozen version."""

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        # A draft, a copy of which is being tried with real people.
        PILOT = "pilot", _("Pilot")
        LIVE = "live", _("Live")
        PAUSED = "paused", _("Paused")
        CLOSED = "closed", _("Closed")

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT, db_default="draft")
    draft = models.JSONField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="studies")
    secret = models.CharField(max_length=64, default=new_secret, editable=False)
    notice = models.CharField(max_length=300, blank=True, default="")
    remark = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(default=clock.now)
    launched_at = models.DateTimeField(null=True, blank=True)
    # Left out of lists since then.
    archived_at = models.DateTimeField(null=True, editable=False)
    # When somebody first opened the page Design of the draft, or changed a setting.
    designed_at = models.DateTimeField(null=True, editable=False)
    # The address of the study that this one was duplicated from; it may be deleted since.
    copied_from = models.SlugField(max_length=60, blank=True, default="", db_default="", db_index=False, editable=False)
    # The key of the study that first stored the files that duplicates share; it stays when that study is deleted.
    files_of = models.PositiveBigIntegerField(null=True, editable=False)
    # The study that this one is a private copy of, for a preview; such a copy has no owner.
    preview_of = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, editable=False, related_name="previews"
    )

    # The draft that this one is a pilot of: a copy with real people, whose roles are those of the draft.
    pilot_of = models.ForeignKey("self", models.PROTECT, null=True, blank=True, editable=False, related_name="pilots")
    pilot_number = models.PositiveSmallIntegerField(null=True, editable=False)
    # After so many people have finished, a pilot ends.
    pilot_raters = models.PositiveSmallIntegerField(null=True, editable=False)

    # The default manager: what lists studies never meets a copy.
    objects = Studies()
    with_previews = models.Manager["Study"]()

    versions: models.Manager[StudyVersion]

    class Meta:
        verbose_name_plural = "studies"
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["pilot_of", "pilot_number"], name="pilot_once")]

    def __str__(self) -> str:
        if self.pilot_number is None:
            return self.title
        return _("{title} · pilot {number}").format(title=self.title, number=self.pilot_number)

    @property
    def is_draft(self) -> bool:
        """Return whether it was never launched; a pilot of it may be running."""
        return self.state in {self.State.DRAFT, self.State.PILOT}

    @property
    def definition(self) -> Definition:
        """Return the draft, validated."""
        return parse(self.draft)


class StudyVersion(models.Model):
    """A definition as raters met it; never changed."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    definition = models.JSONField()
    sha256 = models.CharField(max_length=64)
    published_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="version_number_once")]
        ordering = ["study", "number"]

    def __str__(self) -> str:
        return f"{self.study} · version {self.number}"


class SavedPreset(models.Model):
    """A preset of this server: settings saved from a study under a name."""

    LONGEST_NAME, LONGEST_DESCRIPTION = 100, 300

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=LONGEST_NAME, unique=True)
    description = models.CharField(max_length=LONGEST_DESCRIPTION, blank=True, default="")
    definition = models.JSONField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return self.name
