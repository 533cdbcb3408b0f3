"""Simulations as rows: simulated raters who take part in a launched study."""

from __future__ import annotations

from django.db import models

from core.jobs import Job


class Simulation(Job):
    """A job that lets simulated raters take part; the same seed continues the same people."""

    study = models.ForeignKey("studies.Study", models.CASCADE, related_name="+")
    raters = models.PositiveIntegerField()
    seed = models.PositiveIntegerField()

    task_name = "raters.simulate"

    def __str__(self) -> str:
        return f"{self.raters} simulated raters of {self.study}"
