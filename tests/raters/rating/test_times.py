"""Times computed in columns are those computed one by one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from math import isnan
from random import Random
from typing import Any

from raters.rating import scored

START = datetime(2026, 3, 1, tzinfo=UTC)


def stored(moment: datetime | None) -> str | None:
    """Write a moment as databases do, whose whole seconds have no fraction."""
    return None if moment is None else moment.replace(tzinfo=None).isoformat(" ")


def some(rng: Random, value: Any, share: float = 0.1) -> Any:
    return None if rng.random() < share else value


def test_times_in_columns_are_rounded_as_single_ones_are() -> None:
    rng = Random(3)
    served = [some(rng, START + timedelta(microseconds=rng.randrange(10**9))) for _ in range(3000)]
    # Half milliseconds too, where rounding depends on how a number is stored.
    answered = [some(rng, START + timedelta(hours=1, microseconds=500 * rng.randrange(10**6))) for _ in served]
    began = [some(rng, each + timedelta(microseconds=500 * rng.randrange(9000)) if each else None) for each in served]
    seconds = [some(rng, rng.choice([0.5, 2.0, 3.3333333, 61.0000005])) for _ in served]
    reports = [some(rng, {"clips": {"k": {"since_end": rng.choice([0.25, 4000, -1, "x", True])}}}) for _ in served]
    times = scored.times_of(
        range(3000),
        [1] * 3000,
        *([stored(moment) for moment in moments] for moments in (served, answered, began)),
        ["k"] * 3000,
        [None if each is None else json.dumps(each) for each in reports],
        seconds,
    )
    for number, (response, decision) in enumerate(zip(times.response, times.decision, strict=True)):
        since = scored.reported(scored.report(reports[number], "k"), "since_end")
        expected = (
            scored.between(served[number], answered[number]),
            scored.decided(began[number], answered[number], seconds[number], since),
        )
        assert [None if isnan(each) else each for each in (response, decision)] == list(expected)


def test_a_clip_shown_twice_on_a_screen_counts_once_and_shares_the_time_of_its_trial() -> None:
    moments = ["2026-03-01 00:00:00"] * 4, ["2026-03-01 00:00:12"] * 4, [None] * 4
    times = scored.times_of([1, 1, 1, 2], [7, 8, 7, 7], *moments, list("abcd"), [None] * 4, [1.0] * 4)
    assert times.clip.tolist() == [7, 8, 7]
    assert times.response.tolist() == [6.0, 6.0, 12.0]
