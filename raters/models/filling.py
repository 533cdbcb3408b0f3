"""The job that fills experts' queues."""

from __future__ import annotations

from django.db import models

from core.jobs import Job


class QueueFill(Job):
    """A look at all answers of a study, for those that its experts' queues lack."""

    study = models.OneToOneField("studies.Study", models.CASCADE, related_name="+")
    # The settings of the queues under which it was done last; with others, all answers are looked at again.
    wanted = models.CharField(max_length=40, blank=True, default="")

    task_name = "raters.fill_queues"
    # Answers that no expert is offered would never be missed by anybody.
    gives_up = False

    def __str__(self) -> str:
        return f"queues of {self.study}"
