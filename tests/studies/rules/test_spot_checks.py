"""The spot check's rules: what follows from what experts say, how much is drawn, how sure a share is."""

from __future__ import annotations

import pytest

from studies.rules.spot_checks import CODES, FAULTS, outcome_of, sample_size, wilson


def test_every_fault_fails_and_nothing_else_does() -> None:
    assert {code for codes in CODES.values() for code in codes if outcome_of(code) == "failed"} == {*FAULTS, "no"}


@pytest.mark.parametrize(
    ("share", "population", "size"),
    [(0.25, 12, 3), (0.25, 13, 4), (0.25, 1, 1), (0.28, 25, 7), (1.0, 9, 9), (0.25, 0, 0)],
)
def test_the_sample_is_the_share_rounded_up_and_at_least_one(share: float, population: int, size: int) -> None:
    assert sample_size(share, population) == size


def test_wilson_equals_the_textbook_and_stays_inside() -> None:
    # Newcombe (1998), Table I: 81 of 263 and 15 of 148.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    low, high = wilson(3, 3)
    assert (0 < low < 1, high) == (True, 1.0)
