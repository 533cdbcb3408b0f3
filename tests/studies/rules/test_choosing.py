"""Which clips make a batch."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from studies.rules.choosing import PlaceCandidate, choose, per_cell


def candidate(
    number: int, system: int, *, text: int | None = None, taken: int = 0, dimension: str = ""
) -> PlaceCandidate:
    return PlaceCandidate(number, number, system, system, dimension, text, taken, human=system == 0)


def grid(systems: int, texts: int, *, dimensions: int = 1) -> list[PlaceCandidate]:
    return [
        candidate(system * texts + text, system, text=text, dimension=str(text % dimensions))
        for system in range(systems)
        for text in range(texts)
    ]


@given(st.integers(1, 8), st.integers(7, 20), st.integers(0, 10_000))
def test_systems_stay_within_one_of_each_other(systems: int, texts: int, seed: int) -> None:
    picked = choose(grid(systems, texts), 7, Random(seed))
    counts = Counter(place.system for place in picked)
    assert len(picked) == 7
    assert max(counts.values()) - min(counts.get(system, 0) for system in range(systems)) <= 1


@given(st.integers(1, 4), st.integers(0, 10_000))
def test_dimensions_are_balanced_among_equals(dimensions: int, seed: int) -> None:
    picked = choose(grid(1, 20, dimensions=dimensions), 8, Random(seed))
    counts = Counter(place.dimension for place in picked)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_systems_are_balanced_before_dimensions_and_both_before_the_least_rated() -> None:
    fresh = candidate(1, 1, text=1, dimension="style")
    other_dimension = candidate(2, 1, text=2, dimension="pauses", taken=5)
    other_system = candidate(3, 2, text=3, dimension="style", taken=9)
    won = [candidate(9, 1, text=9, dimension="style")]
    for seed in range(20):
        picked = choose([fresh, other_dimension, other_system], 3, Random(seed), chosen=won)
        assert picked == [other_system, other_dimension, fresh]


@given(st.integers(0, 10_000))
def test_no_text_is_chosen_twice_unless_texts_are_crossed(seed: int) -> None:
    places = grid(4, 5)
    texts = [place.text for place in choose(places, 7, Random(seed))]
    assert len(texts) == len(set(texts)) == 5
    assert len(choose(places, 7, Random(seed), distinct_texts=False)) == 7


def test_clips_without_a_text_never_stand_in_each_others_way() -> None:
    assert len(choose([candidate(number, 1) for number in range(9)], 7, Random(1))) == 7


def test_the_least_rated_come_first() -> None:
    places = [candidate(number, 1, text=number, taken=number) for number in range(20)]
    assert {place.taken for place in choose(places, 7, Random(2))} == set(range(7))


def test_equals_are_drawn_at_random() -> None:
    places = grid(2, 30)
    draws = {tuple(sorted(place.pool for place in choose(places, 4, Random(seed)))) for seed in range(40)}
    assert len(draws) > 30


def test_what_was_won_already_counts_for_balance_and_texts() -> None:
    won = [candidate(100 + text, 0, text=text) for text in range(3)]
    picked = choose(grid(2, 8), 3, Random(3), chosen=won)
    assert {place.system for place in picked} == {1}
    assert not {place.text for place in picked} & {0, 1, 2}


def test_a_human_share_holds_on_average() -> None:
    humans = [
        sum(place.human for place in choose(grid(4, 20), 7, Random(seed), human_share=0.5)) for seed in range(200)
    ]
    assert set(humans) == {3, 4}
    assert abs(sum(humans) / len(humans) - 3.5) < 0.15


def test_too_few_candidates_give_a_short_batch() -> None:
    assert len(choose(grid(1, 3), 7, Random(1))) == 3


def test_the_look_grows_with_attempts_and_shrinks_with_cells() -> None:
    assert per_cell(7, 0) == per_cell(7, 1) == 7
    assert per_cell(7, 100) == 2
    assert per_cell(7, 5, attempt=2) == per_cell(7, 5) + 4
