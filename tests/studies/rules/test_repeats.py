"""The order of a batch with repeated trials."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from studies.rules import repeats
from studies.rules.parameters import Protocol


def placed(seed: int, *, tests: int = 7, traps: int = 3, number: int = 2, distance: int = 5) -> list[tuple[str, int]]:
    return repeats.in_order(
        [f"test {each}" for each in range(tests)],
        [f"trap {each}" for each in range(traps)],
        repeats=number,
        distance=distance,
        rng=Random(seed),
    )


@given(
    seed=st.integers(0, 10_000),
    tests=st.integers(0, 12),
    traps=st.integers(0, 4),
    number=st.integers(0, 6),
    distance=st.integers(1, 12),
)
def test_a_repeat_comes_at_least_so_many_trials_after_its_first(
    seed: int, tests: int, traps: int, number: int, distance: int
) -> None:
    order = placed(seed, tests=tests, traps=traps, number=number, distance=distance)
    again = [(name, place) for place, (name, repeat) in enumerate(order) if repeat]
    assert all(place - order.index((name, 0)) >= distance for name, place in again)
    # Every trial once, and as many tests again as fit.
    assert sorted(name for name, repeat in order if not repeat) == sorted(
        [*(f"test {each}" for each in range(tests)), *(f"trap {each}" for each in range(traps))]
    )
    assert len({name for name, _place in again}) == len(again)
    assert len(again) == min(number, tests, repeats.most_repeats(tests + traps, distance))


def test_traps_are_not_repeated() -> None:
    again = {name for seed in range(50) for name, repeat in placed(seed) if repeat}
    assert again == {f"test {each}" for each in range(7)}


def test_a_repeat_can_come_at_every_place_that_the_distance_allows() -> None:
    places = {place for seed in range(300) for place, (_name, repeat) in enumerate(placed(seed)) if repeat}
    assert places == set(range(5, 12))


def test_without_repeats_the_order_is_that_of_one_shuffle() -> None:
    order = [*(f"test {each}" for each in range(7)), *(f"trap {each}" for each in range(3))]
    Random(4).shuffle(order)
    assert [name for name, _repeat in placed(4, number=0)] == order


@pytest.mark.parametrize(("settings", "fits"), [
    ({"repeats": 6}, True),
    ({"repeats": 7}, False),
    ({"repeats": 7, "repeat_distance": 4}, True),
    ({"repeats": 8, "repeat_distance": 1}, False),
    ({"repeats": 0, "repeat_distance": 200}, True),
])  # fmt: skip
def test_settings_are_refused_whose_repeats_do_not_fit_in_a_batch(settings: dict[str, int], fits: bool) -> None:
    # Seven tests and three traps.
    if fits:
        protocol = Protocol(**settings)
        assert protocol.batch_size == 10 + settings["repeats"]
    else:
        with pytest.raises(ValidationError, match="repeated trials don’t fit"):
            Protocol(**settings)
