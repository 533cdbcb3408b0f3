"""Diagnostics against ArviZ 0.8 on the same draws."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.mixed.bayes import ess_bulk, ess_tail, hdi, rhat


def walk(noise: np.ndarray, memory: float) -> np.ndarray:
    chain = np.zeros_like(noise)
    for step in range(1, noise.shape[1]):
        chain[:, step] = memory * chain[:, step - 1] + noise[:, step]
    return chain


NOISE = np.random.default_rng(1).standard_normal((4, 500))
STICKY = walk(NOISE, 0.7)
STICKY[0] += 0.5


@pytest.mark.parametrize(
    ("draws", "spread", "bulk", "tail", "low", "high"),
    [
        (NOISE, 1.0051182208183744, 2008.8884428488348, 1952.5744591520352, -1.91295227, 2.02149904),
        (STICKY, 1.0212404533787793, 315.4063427403931, 530.4141960951368, -2.8591555, 2.74257741),
        (walk(NOISE, -0.5), 1.0013237431183726, 6602.059991327962, 1732.8859030576687, -2.09588053, 2.34337467),
    ],
)
def test_diagnostics_are_those_of_arviz(
    draws: np.ndarray, spread: float, bulk: float, tail: float, low: float, high: float
) -> None:
    assert rhat(draws) == pytest.approx(spread, rel=1e-9)
    assert ess_bulk(draws) == pytest.approx(bulk, rel=1e-9)
    assert ess_tail(draws) == pytest.approx(tail, rel=1e-9)
    assert hdi(draws) == (pytest.approx(low, abs=1e-8), pytest.approx(high, abs=1e-8))


def test_chains_that_never_meet_are_seen() -> None:
    assert rhat(NOISE + np.arange(4)[:, None]) > 1.5
    assert ess_bulk(NOISE + 10 * np.arange(4)[:, None]) < 10


def test_chains_that_differ_in_spread_alone_are_seen() -> None:
    assert rhat(NOISE * np.array([1, 1, 1, 4])[:, None]) > 1.05


def test_a_chain_that_never_moves_has_no_rhat() -> None:
    assert np.isnan(rhat(np.ones((4, 100))))


def test_the_densest_interval_leans_to_where_the_draws_are() -> None:
    draws = np.random.default_rng(2).exponential(size=(4, 20_000))
    low, high = hdi(draws)
    assert low == pytest.approx(0, abs=0.001)
    assert high == pytest.approx(-np.log(0.05), abs=0.06)
