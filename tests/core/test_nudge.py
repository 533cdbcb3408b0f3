"""Telling workers: after the commit, and never at the cost of a page."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from kombu.exceptions import OperationalError

from core.nudge import nudge


class Task:
    """A task that notes whom it was told about, or finds no broker."""

    name = "some.task"

    def __init__(self, error: Exception | None = None) -> None:
        self.told: list[int] = []
        self.error = error

    def delay(self, pk: int) -> None:
        if self.error:
            raise self.error
        self.told.append(pk)


def test_a_worker_is_told_once_the_row_is_committed(db: None, django_capture_on_commit_callbacks: Any) -> None:
    task = Task()
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        nudge(task, 7)
        assert task.told == []
    assert task.told == [7]


def test_a_broker_that_is_down_breaks_no_page(
    db: None, django_capture_on_commit_callbacks: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        nudge(Task(OperationalError("connection refused")), 7)
    assert "the sweep will find it" in caplog.text
