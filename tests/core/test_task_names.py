"""Jobs name their tasks, and nobody imports them: a name that no worker knows would be told into the void."""

from __future__ import annotations

import pytest
from celery import current_app

from core import jobs


@pytest.mark.parametrize("model", jobs.job_models(), ids=lambda model: model.__name__)
def test_a_jobs_task_is_one_that_workers_know(model: type[jobs.Job]) -> None:
    current_app.loader.import_default_modules()
    assert model.task_name in current_app.tasks
