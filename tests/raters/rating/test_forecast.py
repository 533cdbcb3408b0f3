"""The forecast of when a study has the ratings it wants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from raters.rating.rules.forecast import ready_at

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
DAYS = timedelta(days=3)


def test_a_study_goes_on_at_the_pace_of_the_last_days() -> None:
    assert ready_at(left=600, recent=300, during=DAYS, now=NOW) == NOW + timedelta(days=6)


def test_nothing_left_is_ready_now() -> None:
    assert ready_at(left=0, recent=0, during=timedelta(), now=NOW) == NOW


@pytest.mark.parametrize(
    ("left", "recent", "during"),
    [(600, 19, DAYS), (600, 300, timedelta(hours=5)), (100_000, 20, DAYS)],
    ids=["too few ratings", "too short a time", "too slow"],
)
def test_little_data_or_a_slow_pace_give_no_date(left: int, recent: int, during: timedelta) -> None:
    assert ready_at(left=left, recent=recent, during=during, now=NOW) is None
