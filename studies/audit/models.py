"""Tables of the audit: measures of clips, jobs, accepted findings, and repairs."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.jobs import Job
from studies.clips.models import Clip
from studies.definition.models import Study

# Version of the functions in `measures` and `likeness`. Increase it when one changes, so that clips are measured again.
VERSION = 3


class ClipAudit(models.Model):
    """The measures of a clip's rendition; valid as long as the clip has this rendition."""

    class Problem(models.TextChoices):
        UNREADABLE = "unreadable", _("can’t be read")
        SILENT = "silent", _("silent")

    clip = models.OneToOneField(Clip, models.CASCADE, related_name="audit")
    version = models.PositiveSmallIntegerField()
    rendition = models.CharField(max_length=200)
    # By the names of `measures.ClipMeasures`; empty if there is a problem.
    measures = models.JSONField(default=dict)
    fingerprint = models.CharField(max_length=400, blank=True, default="")
    problem = models.CharField(max_length=12, choices=Problem, blank=True, default="")
    measured_at = models.DateTimeField()
    # From `waveform.peaks`; empty for clips measured by an earlier release, until the next job.
    peaks = models.CharField(max_length=60, blank=True, default="", db_default="")
    # From `outliers.Outlier` at the newest job; empty if the clip can't be compared.
    outlier_measure = models.CharField(max_length=20, blank=True, default="", db_default="")
    outlier_by = models.FloatField(null=True)
    outlier_distance = models.FloatField(null=True)

    def __str__(self) -> str:
        return f"{self.clip}, version {self.version}"


class StudyAudit(Job):
    """A job that measures unmeasured clips of a study and then runs the acoustic leak test."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="audits")
    # `leak.Leak` as a dictionary; None until the job is done, or with too few clips.
    leak = models.JSONField(null=True)

    task_name = "studies.audit_clips"

    def __str__(self) -> str:
        return f"audit {self.pk} · {self.study}"


class AcceptedFinding(models.Model):
    """A finding accepted as part of the comparison. Undone acceptances are kept."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="accepted_findings")
    # Identifies the difference and its systems.
    key = models.CharField(max_length=80)
    # The text of the finding at that time.
    text = models.TextField()
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    accepted_at = models.DateTimeField()
    revoked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"], name="finding_accepted_once", condition=models.Q(revoked_at=None)
            )
        ]

    def __str__(self) -> str:
        return self.text


class AppliedRepair(models.Model):
    """Who applied or undid a repair of all clips; the repairs in force are in the study's audio settings."""

    class Kind(models.TextChoices):
        EDGES = "edges", _("Silence and noise at the edges")
        BAND = "band", _("Common bandwidth")
        LEVEL = "level", _("Common loudness")

    study = models.ForeignKey(Study, models.CASCADE, related_name="applied_repairs")
    kind = models.CharField(max_length=10, choices=Kind)
    value = models.FloatField()
    applied_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    applied_at = models.DateTimeField()
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind"], name="repair_applied_once", condition=models.Q(undone_at=None)
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind}={self.value:g}"


class RepairPreview(Job):
    """A job that tries a repair on some clips of each system; only the newest of a study is kept."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="repair_previews")
    kind = models.CharField(max_length=10, choices=AppliedRepair.Kind)
    value = models.FloatField()
    # As `previewing.PreviewedClip`, and the files that the repair can't change, with reasons.
    clips = models.JSONField(default=list)
    exceptions = models.JSONField(default=list)

    task_name = "studies.preview_repair"

    def __str__(self) -> str:
        return f"preview of {self.kind}={self.value:g} · {self.study}"
