"""The page of a comparison reads as much for many clips as for few; its list of clips is sent in pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db.backends.utils import CursorWrapper
from django.test import Client
from django.urls import reverse

from analysis.comparisons import comparing, figures, tables
from analysis.metrics.models import Comparison
from analysis.runs import erasing
from core import clock
from studies.models import Study
from tests.analysis.comparisons.rated import GOOD, SYSTEMS, Heard
from tests.researchers import logged_in, researcher

FETCHES = {"fetchone", "fetchmany", "fetchall"}


@pytest.fixture
def opened(
    db: None, files: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> Callable[[int, str], tuple[int, Any]]:
    """Return a function that compares a study of so many texts and opens a page: characters read, and the response."""
    monkeypatch.setattr("core.nudge._send", lambda task, pk: None)
    monkeypatch.setattr(figures, "DRAWN", 10)
    monkeypatch.setattr(tables, "PAGE", 5, raising=False)
    read = 0

    def counting(self: CursorWrapper, name: str) -> Any:
        attribute = getattr(self.cursor, name)
        if name not in FETCHES:
            return attribute

        def fetch(*args: Any) -> Any:
            nonlocal read
            rows = attribute(*args)
            read += len(repr(rows))
            return rows

        return fetch

    def open_page(texts: int, name: str) -> tuple[int, Any]:
        nonlocal read
        heard = Heard(now, options={"systems": SYSTEMS, "texts": texts}, people=1)
        heard.machine("judge", GOOD, low=0, high=1)
        owner = researcher(f"ada{texts}")
        Study.objects.filter(pk=heard.study.pk).update(owner=owner)
        client: Client = logged_in(owner)
        address = reverse(f"analysis:{name}", args=[heard.study.slug])
        client.get(reverse("analysis:machines", args=[heard.study.slug]))
        row = Comparison.objects.get(study=heard.study)
        assert comparing.compare(pk=row.pk, clock=clock.now)
        client.get(address)
        monkeypatch.setattr(CursorWrapper, "__getattr__", counting)
        read = 0
        response = client.get(address)
        return read, response

    return open_page


@pytest.mark.parametrize("name", ["machines", "machines_against", "machines_figures"])
def test_a_comparison_of_more_clips_reads_no_more(opened: Callable[[int, str], tuple[int, Any]], name: str) -> None:
    few, many = (opened(texts, name)[0] for texts in (8, 32))
    assert 0 < many < 1.1 * few


def test_a_comparison_sends_the_list_of_all_clips_in_pages(opened: Callable[[int, str], tuple[int, Any]]) -> None:
    _read, response = opened(8, "machines_clips")
    assert response.streaming
    parts = [part.decode() for part in response.streaming_content]
    assert len(parts) == -(-(1 + 6 * 8) // 5)
    lines = "".join(parts).splitlines()
    assert len(lines) == 1 + 6 * 8
    assert lines[0].startswith("metric,set,clip,")
    assert len({line.split(",")[2] for line in lines}) == len(lines)


def test_an_erasure_drops_the_list_of_clips_with_the_figures(opened: Callable[[int, str], tuple[int, Any]]) -> None:
    opened(8, "machines")
    row = Comparison.objects.get()
    assert row.clips
    erasing.forget_rows(row.study_id, 1, clock.now())
    row.refresh_from_db()
    assert (row.figures, row.clips) == ({}, [])
