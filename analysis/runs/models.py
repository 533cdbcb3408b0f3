"""Analyses as rows: settings and results."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from analysis.data.models import Simulated
from core.jobs import Job


class Analysis(Job):
    """All figures of a study, computed once from the answers of that moment; repeating it gives the same figures."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="analyses")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    # {"simulated": "without", "versions": [1], "seed": 1, "draws": 1000, "sections": ["scores", …]}
    settings = models.JSONField()
    # Of the ratings used; a different one in a later run means that answers or decisions have changed.
    fingerprint = models.CharField(max_length=64, blank=True, default="")
    code_version = models.CharField(max_length=40, blank=True, default="")
    # In the format of analysis.sections.results.
    results = models.JSONField(default=dict)
    # The section being computed.
    section = models.CharField(max_length=40, blank=True, default="")
    # "plots": in English, "translated": {language: plots}, "papers": tables, "documents": {file: its name in the
    # store}, "outdated": documents that name an erased rater, until they are made again.
    files = models.JSONField(default=dict)
    # The run that this one repeats, to check that the figures are the same.
    repeats = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="repeated")
    erased_raters = models.PositiveIntegerField(default=0)

    task_name = "analysis.run_analysis"

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "analyses"

    @property
    def simulated_label(self) -> str:
        """The sessions that it includes, in words."""
        return str(Simulated(self.settings["simulated"]).label)

    def __str__(self) -> str:
        return f"{self.study} · analysis {self.pk}"
