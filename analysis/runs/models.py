"""Analyses as rows: what was asked for, and what came of it."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from core.jobs import Job


class Analysis(Job):
    """All figures of a study, computed once from the answers of that moment; made again, they come out the same."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="analyses")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    # {"simulated": "without", "versions": [1], "seed": 1, "draws": 1000, "sections": ["scores", …]}
    settings = models.JSONField()
    # Of the ratings that went in: another one later means that answers or decisions changed.
    fingerprint = models.CharField(max_length=64, blank=True, default="")
    code_version = models.CharField(max_length=40, blank=True, default="")
    # As analysis.sections.results says.
    results = models.JSONField(default=dict)
    # The section that is being worked on.
    section = models.CharField(max_length=40, blank=True, default="")
    # "plots": in English, "translated": {language: plots}, "papers": tables, "documents": {file: where it is stored}.
    files = models.JSONField(default=dict)
    # The run whose settings were taken over to see whether the figures come out the same.
    repeats = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="repeated")
    erased_raters = models.PositiveIntegerField(default=0)

    task_name = "analysis.run_analysis"

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "analyses"

    def __str__(self) -> str:
        return f"{self.study} · analysis {self.pk}"
