"""How many tasks of a batch have a golden question."""

from __future__ import annotations

from itertools import accumulate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.rules.validity import how_many

SHARES = st.floats(0.001, 1)
SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=8)


def session(share: float, sizes: list[int], seed: int) -> list[int]:
    """Return how many golden tasks each batch of a session has."""
    rng, tasks, counts = Random(seed), 0, list[int]()
    for size in sizes:
        counts.append(how_many(share, tasks=tasks, met=sum(counts), size=size, rng=rng))
        tasks += size
    return counts


@given(SHARES, SIZES, st.integers(0, 1000))
def test_every_session_meets_one_in_its_first_batch(share: float, sizes: list[int], seed: int) -> None:
    assert session(share, sizes, seed)[0] >= 1


@given(st.floats(0, 1), SIZES, st.integers(0, 1000))
def test_a_batch_never_has_more_than_it_has_tasks(share: float, sizes: list[int], seed: int) -> None:
    assert all(0 <= count <= size for count, size in zip(session(share, sizes, seed), sizes, strict=True))


@given(SHARES, SIZES, st.integers(0, 1000))
def test_after_every_batch_the_share_is_kept_to_within_one_task(share: float, sizes: list[int], seed: int) -> None:
    met = accumulate(session(share, sizes, seed))
    assert all(abs(count - share * tasks) < 1 + 1e-9 for count, tasks in zip(met, accumulate(sizes), strict=True))


@given(SIZES, st.integers(0, 1000))
def test_without_a_share_there_are_none(sizes: list[int], seed: int) -> None:
    assert not any(session(0, sizes, seed))


@given(SIZES, st.integers(0, 1000))
def test_with_the_whole_share_every_task_has_one(sizes: list[int], seed: int) -> None:
    assert session(1, sizes, seed) == sizes


@pytest.mark.parametrize(("share", "sizes"), [(0.1, [5, 5]), (0.15, [10]), (0.3, [5, 5, 5])])
def test_the_share_holds_on_average(share: float, sizes: list[int]) -> None:
    found = [sum(session(share, sizes, seed)) for seed in range(2000)]
    assert sum(found) / len(found) == pytest.approx(share * sum(sizes), abs=0.06)
