from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest
from django.db import connection

from core.database.paging import Stored, by_index, moment, pages
from raters.models import Rater

pytestmark = pytest.mark.django_db
MOMENT = datetime(2026, 3, 2, 9, 30, 0, 120_000, tzinfo=UTC)


@pytest.mark.parametrize("stored", [MOMENT, MOMENT.replace(microsecond=0), MOMENT.replace(microsecond=7)])
def test_a_stored_time_is_read_as_text_and_is_the_same_moment(stored: datetime) -> None:
    Rater.objects.create(created_at=stored)
    [[(_, text)]] = pages(Rater.objects.values_list("pk", Stored("created_at")))
    assert isinstance(text, str)
    read = moment(text)
    assert read == stored
    assert read.tzinfo is UTC


def parallel_workers() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW max_parallel_workers_per_gather")
        return str(cursor.fetchone()[0])


@pytest.mark.sqlite
def test_pages_are_read_by_an_index_anyway_on_sqlite() -> None:
    with by_index():
        assert not Rater.objects.exists()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_pages_read_by_an_index_start_no_parallel_processes_and_the_session_never_learns_of_it() -> None:
    before, driver = parallel_workers(), cast(Any, connection)
    assert before != "0"

    @by_index()
    def failing() -> None:
        assert parallel_workers() == "0"
        # A pooler may give this session to somebody else at once.
        [in_session] = driver.connection.execute("SHOW max_parallel_workers_per_gather").fetchone()
        assert in_session == before
        raise ValueError

    with pytest.raises(ValueError):
        failing()
    assert parallel_workers() == before
