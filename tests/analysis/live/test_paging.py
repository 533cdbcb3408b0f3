"""Exports and figures read page by page: nothing is left open while progress is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analysis.data.models import Simulated
from analysis.exports import building
from analysis.exports import files as written
from core import jobs
from core.database import paging
from raters.models import Batch, Rater, Rating, Session
from raters.rating import monitor, ratings, scored
from studies.clips import tables as clips_tables
from studies.models import Clip
from tests.analysis.world import World

# Shorter than the product's, and still more rows in all than Django fetches from an open cursor at once (2000).
PAGE = 1000
ROWS = 2 * PAGE + 100
READERS: dict[str, Callable[[int], Iterator[Any]]] = {
    "ratings": lambda study: (row for page in ratings.table(study, False) for row in zip(*page, strict=True)),
    "scores": lambda study: ratings.scores(study, "label", False),
    "traps": lambda study: ratings.traps(study, False),
    "sessions": lambda study: monitor.sessions_table(study, False),
    "batches": lambda study: monitor.batches_table(study, False),
    "clips": clips_tables.table,
}
# Gathered before anything is written.
GATHERED: dict[str, Callable[[int], Iterator[Any]]] = {
    "times": lambda study: (row for some in scored.response_times(study, False) for row in zip(*some, strict=True))
}


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page hold three rows."""
    monkeypatch.setattr(paging, "PAGE", 3)
    monkeypatch.setattr(monitor, "SESSIONS", 2)
    monkeypatch.setattr(ratings, "SESSIONS", 2)
    monkeypatch.setattr(scored, "SESSIONS", 2)


@pytest.mark.parametrize("name", [*READERS, *GATHERED])
def test_pages_hold_the_rows_of_one_long_read(world: World, name: str, request: pytest.FixtureRequest) -> None:
    world.crowd(9)
    world.crowd(2, simulated=True)
    read = {**READERS, **GATHERED}[name]
    at_once = list(read(world.study.pk))
    request.getfixturevalue("small_pages")
    with CaptureQueriesContext(connection) as queries:
        assert list(read(world.study.pk)) == at_once
    assert len(at_once) > 6
    assert len(queries) > len(at_once) // 10 + 2


def test_a_batchs_and_a_raters_answers_are_counted_apart(world: World) -> None:
    session = world.session()
    first, second = world.batch(session), world.batch(session)
    clips = world.clips("alpha")
    world.rate(first, clips[0], "human")
    world.rate(first, clips[1], "human", usable=False)
    world.rate(second, clips[2], "human")
    world.session()
    batches = list(monitor.batches_table(world.study.pk, False))
    assert [(row["answers"], row["answers_usable"]) for row in batches] == [(2, 1), (1, 1)]
    sessions = list(monitor.sessions_table(world.study.pk, False))
    assert [(row["answers"], row["answers_usable"]) for row in sessions] == [(3, 2), (0, 0)]


def test_a_short_page_of_sessions_reads_and_counts_no_more_than_it_holds(world: World) -> None:
    for _ in range(9):
        world.session()
    with CaptureQueriesContext(connection) as queries:
        rows = monitor.sessions_table(world.study.pk, False, size=2)
        next(rows), next(rows)
    assert len(queries) == 2


@pytest.fixture
def large(transactional_db: None, files: Path, now: datetime, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a study of which every table is longer than two pages."""
    monkeypatch.setattr(paging, "PAGE", PAGE)
    monkeypatch.setattr(written, "PROGRESS_EVERY", PAGE)
    world = World(now)
    rated = world.rate(world.batch(world.session()), world.clips("alpha")[0], "human").trial
    clip = world.clips("broken", "trap_flawed")[0]
    like = {field.attname: getattr(clip, field.attname) for field in Clip._meta.concrete_fields if field.name != "id"}
    Clip.objects.bulk_create(Clip(**{**like, "file": f"more/{number}.wav"}) for number in range(ROWS))
    people = Rater.objects.bulk_create(Rater(created_at=now) for _ in range(ROWS))
    sessions = Session.objects.bulk_create(
        Session(
            rater=rater,
            study=world.study,
            version_id=rated.session.version_id,
            source="prolific",
            ext_session=f"more-{number}",
            arrived_at=now,
        )
        for number, rater in enumerate(people)
    )
    Batch.objects.bulk_create(
        Batch(session=session, number=1, size=10, state=jobs.DONE, valid=True, opened_at=now) for session in sessions
    )
    trap = world.rate(rated.batch, clip, "machine").trial
    Rating.objects.bulk_create(
        Rating(study=world.study, trial=trial, clip_id=clip.pk, part="label", code="human", value=1.0)
        for trial in (rated, trap)
        for _ in range(ROWS)
    )
    return world


class Stranger:
    """Another process with a connection of its own, as far as SQLite can tell."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(connection.settings_dict["NAME"], timeout=5, isolation_level=None)
        self.commits = 0

    def commit(self) -> None:
        """Change a row: SQLite writes nothing when all stays as it was."""
        self.commits += 1
        rows = self.connection.execute(
            "UPDATE raters_session SET tab = ? WHERE ext_session = 'more-0'", (str(self.commits),)
        )
        assert rows.rowcount == 1


@pytest.fixture
def stranger(large: World) -> Iterator[Stranger]:
    stranger = Stranger()
    with closing(stranger.connection):
        yield stranger


@pytest.mark.sqlite
def test_an_export_goes_on_while_another_process_stores_answers(
    large: World, stranger: Stranger, now: datetime
) -> None:
    row = building.request_export(study_id=large.study.pk, simulated=Simulated.WITHOUT, user=None, now=now)

    def clock() -> datetime:
        # Asked for the time just before progress is written: somebody else commits first.
        stranger.commit()
        return now

    assert building.build_export(pk=row.pk, clock=clock)
    row.refresh_from_db()
    assert (row.state, row.error) == (jobs.DONE, "")
    # Beside its beginning and its end, progress was written twice in each of the four long tables.
    assert stranger.commits >= 2 + 2 * 4


@pytest.mark.sqlite
def test_one_may_write_between_two_rows(large: World, stranger: Stranger, now: datetime) -> None:
    rater = large.study.sessions.get(ext_session="more-1").rater_id
    for name, read in READERS.items():
        rows = read(large.study.pk)
        next(rows)
        stranger.commit()
        # Refused at once under a cursor that is still open.
        assert Rater.objects.filter(pk=rater).update(created_at=now), name
        assert len(list(rows)) >= ROWS, name
