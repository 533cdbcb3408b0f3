"""Alarms: when a rule suddenly excludes nearly everybody."""

from __future__ import annotations

import pytest

from raters.rating.rules.alarms import Sudden, sudden


def test_a_rule_that_suddenly_takes_nearly_all_batches_is_noticed() -> None:
    assert sudden([False] * 20 + [True] * 10) == Sudden(taken=10, of=10, taken_before=0, before=20)


def test_the_alarm_tells_of_the_whole_time_since_the_change() -> None:
    found = sudden([False, False, False, False, True] * 6 + [True, True, True, True, True, False] * 5)

    assert found is not None
    assert found.of >= 30
    assert found.taken >= 0.8 * found.of
    assert found.taken_before < 0.3 * found.before


@pytest.mark.parametrize(
    "taken",
    [
        [],
        [True] * 40,
        [False] * 40,
        [False] * 20 + [True] * 9,
        [False] * 9 + [True] * 10,
        [False] * 20 + [True, True, True, False] * 5,
        [False, False, True] * 10 + [True] * 10,
    ],
    ids=["none", "always", "never", "too few since", "too few before", "three of four", "a third before"],
)
def test_a_rule_that_always_or_seldom_takes_batches_raises_no_alarm(taken: list[bool]) -> None:
    assert sudden(taken) is None
