"""Kendall's distance: the ATT paper's Table 4, and what must hold for any ranks (rule D8)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.stats.design import NotEstimable
from analysis.stats.ranking import kendall


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def discordant(n: int, pairs: int) -> np.ndarray:
    """Return an order of n things with so many discordant pairs: the last ones are moved to the front in turn."""
    order: list[int] = []
    left = pairs
    for thing in range(n):
        step = min(left, thing)
        order.insert(len(order) - step, thing)
        left -= step
    return np.argsort(order).astype(float)


@pytest.mark.parametrize(
    ("pairs", "distance", "p"),
    [
        (52, 0.2737, 0.0047), (53, 0.2789, 0.0059), (59, 0.3105, 0.0198), (63, 0.3316, 0.0398), (64, 0.3368, 0.0468),
        (65, 0.3421, 0.0548), (66, 0.3474, 0.0638), (67, 0.3526, 0.0740), (71, 0.3737, 0.1284),
    ],
)  # fmt: skip
def test_the_distances_and_ps_of_the_att_papers_table_4(pairs: int, distance: float, p: float) -> None:
    found = kendall(np.arange(20.0), discordant(20, pairs), rng())
    assert (found.distance, found.p) == (pytest.approx(distance, abs=5e-5), pytest.approx(p, abs=5e-5))
    assert found.method == "exact"


@given(values=st.lists(st.integers(0, 6), min_size=3, max_size=12))
@settings(max_examples=15, deadline=None)
def test_ties_count_half_and_reversal_mirrors(values: list[int]) -> None:
    first, second = np.array(values, dtype=float), np.arange(len(values), dtype=float)
    pairs = [(i, j) for i in range(len(values)) for j in range(i)]
    wanted = np.mean([0.5 if values[i] == values[j] else float(values[i] < values[j]) for i, j in pairs])
    found = kendall(first, second, rng())
    assert found.distance == pytest.approx(wanted)
    assert kendall(-first, second, rng()).distance == pytest.approx(1 - wanted)
    assert found.smallest_p <= found.p <= 1
    assert found.method == ("exact" if len(set(values)) == len(values) else "permutation")


def test_the_exact_p_of_four_things_counts_their_orders() -> None:
    order = np.array([0.0, 1.0, 3.0, 2.0])
    found = kendall(np.arange(4.0), order, rng())
    others = [kendall(np.arange(4.0), np.array(each, dtype=float), rng()).distance for each in permutations(range(4))]
    far = [abs(distance - 0.5) >= abs(found.distance - 0.5) - 1e-12 for distance in others]
    assert found.p == pytest.approx(np.mean(far))
    assert found.smallest_p == pytest.approx(2 / 24)


def test_permutations_agree_with_the_exact_p() -> None:
    first = np.arange(12.0)
    second = discordant(12, 18)
    second[0] = second[1]
    assert kendall(first, second, rng()).p == pytest.approx(kendall(first, discordant(12, 18), rng()).p, abs=0.05)
    assert kendall(first, second, rng()) == kendall(first, second, rng())


def test_one_thing_has_no_rank() -> None:
    with pytest.raises(NotEstimable, match="from two on"):
        kendall(np.ones(1), np.ones(1), rng())


def test_nothing_but_ties_is_half_way_and_proves_nothing() -> None:
    found = kendall(np.ones(5), np.arange(5.0), rng())
    assert (found.distance, found.p) == (0.5, 1.0)
