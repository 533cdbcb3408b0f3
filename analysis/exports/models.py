"""Exports that researchers download."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from analysis.data.models import Simulated
from core.jobs import Job


class Format(models.TextChoices):
    """The file format of an export's tables."""

    CSV = "csv", _("CSV and JSON lines")
    EXCEL = "excel", _("CSV that Excel opens (with a byte order mark)")
    XLSX = "xlsx", _("Excel workbooks (XLSX)")
    PARQUET = "parquet", _("Parquet")


class Layout(models.TextChoices):
    """The tool that an export is laid out for."""

    OWN = "own", _("Earshot’s own tables")
    VOICEMOS = "voicemos", _("BVCC / VoiceMOS Challenge")
    SOMOS = "somos", _("SOMOS")
    WEBMUSHRA = "webmushra", _("webMUSHRA")
    P808 = "p808", _("P.808 toolkit")
    AUDIOFOLDER = "audiofolder", _("Hugging Face AudioFolder, with the clips")


class Profile(models.TextChoices):
    """The audience of an export."""

    ANALYSIS = "analysis", _("for analysis: all that was collected, people under pseudonyms")
    OPEN = "open", _("open: to be published, without free text, under pseudonyms of its own")
    PAYMENT = "payment", _("for payment: the crowd platform’s ids and how each session ended, nothing else")


class Export(Job):
    """An export: a ZIP of tables, queued, being written, or ready to download."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="exports")
    simulated = models.CharField(max_length=10, choices=Simulated, default=Simulated.WITHOUT)
    format = models.CharField(max_length=10, choices=Format, default=Format.CSV)
    layout = models.CharField(max_length=20, choices=Layout, default=Layout.OWN)
    profile = models.CharField(max_length=10, choices=Profile, default=Profile.ANALYSIS)
    # Requested while scores were hidden from this user: the export has none.
    is_blind = models.BooleanField(default=False)
    # Made for a user without access to the words of black-box texts: the export has none.
    without_words = models.BooleanField(default=False, db_default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField()
    file = models.CharField(max_length=200, blank=True, default="")
    bytes = models.PositiveBigIntegerField(default=0)

    task_name = "analysis.build_export"

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} · export {self.pk}"
