"""The order of a batch with separate passes."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from studies.rules.passes import in_passes


@given(seed=st.integers(0, 10_000), trials=st.integers(0, 12), passes=st.integers(1, 6))
def test_each_pass_has_every_trial_once_before_the_next_begins(seed: int, trials: int, passes: int) -> None:
    order = in_passes(range(trials), passes=passes, rng=Random(seed))
    assert [number for _trial, number in order] == [number for number in range(1, passes + 1) for _ in range(trials)]
    assert Counter(order) == Counter((trial, number) for trial in range(trials) for number in range(1, passes + 1))


def test_each_pass_is_shuffled_anew() -> None:
    order = in_passes(range(10), passes=3, rng=Random(1))
    passes = [tuple(trial for trial, number in order if number == each) for each in (1, 2, 3)]
    assert len({*passes, tuple(range(10))}) == 4


def test_every_trial_comes_at_every_place_of_each_pass_about_equally_often() -> None:
    seen = Counter(
        (number, place, trial)
        for seed in range(4000)
        for at, (trial, number) in enumerate(in_passes("abcd", passes=2, rng=Random(seed)))
        for place in [at % 4]
    )
    assert len(seen) == 32
    assert all(abs(times - 1000) < 150 for times in seen.values())
