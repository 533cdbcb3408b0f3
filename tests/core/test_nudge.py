"""Telling workers: after the commit, and never at the cost of a page."""

from __future__ import annotations

from typing import Any

import pytest
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from core.nudge import nudge


def test_a_worker_is_told_once_the_row_is_committed(
    db: None, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    told: list[tuple[str, list[int]]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: told.append((name, args)))
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        nudge("some.task", 7)
        assert told == []
    assert told == [("some.task", [7])]


def test_a_broker_that_is_down_breaks_no_page(
    db: None,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(name: str, args: list[int]) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(current_app, "send_task", refuse)
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        nudge("some.task", 7)
    assert "No broker to tell about some.task 7; the sweep will find it: connection refused" in caplog.text
