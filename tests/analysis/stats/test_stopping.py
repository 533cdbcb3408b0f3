"""Looks named before launch keep the error they promise (rule D10)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from analysis.stats.stopping import boundaries, crossed

FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)


def test_five_looks_have_the_limits_of_the_literature() -> None:
    # gsDesign(k=5, test.type=2, sfu=sfLDOF), ldbounds(iuse=c(1,1), alpha=c(.025,.025)).
    found = boundaries(FIFTHS)
    assert [look.limit for look in found] == pytest.approx([4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=0.0005)
    assert found[-1].spent == pytest.approx(0.05)
    assert found[0].p == pytest.approx(2 * norm.sf(found[0].limit))


def test_two_looks_have_the_limits_of_the_literature() -> None:
    assert [look.limit for look in boundaries((0.5, 1.0))] == pytest.approx([2.9626, 1.9686], abs=0.0005)


def test_a_single_look_is_an_ordinary_test() -> None:
    assert boundaries((1.0,))[0].limit == pytest.approx(1.95996, abs=1e-5)


def test_two_thousand_null_studies_stay_below_six_percent_where_naive_looks_reach_fourteen() -> None:
    rng = np.random.default_rng(1)
    steps = rng.standard_normal((2000, 5)) * np.sqrt(0.2)
    z = np.cumsum(steps, axis=1) / np.sqrt(FIFTHS)
    p = 2 * norm.sf(np.abs(z))
    looks = boundaries(FIFTHS)
    planned = np.mean([crossed(looks, tuple(each)) is not None for each in p])
    naive = np.mean((p < 0.05).any(axis=1))
    assert 0.035 <= planned <= 0.06
    assert naive == pytest.approx(0.14, abs=0.02)


@pytest.mark.parametrize(
    ("fractions", "contrasts"), [((0.05, 0.1, 1.0), 10), ((0.03, 0.05), 1), ((0.05, 0.08), 3), ((0.002, 0.5), 1)]
)
def test_looks_too_early_to_spend_anything_have_limits_that_nothing_passes(
    fractions: tuple[float, ...], contrasts: int
) -> None:
    looks = boundaries(fractions, contrasts=contrasts)
    assert looks[0].limit > 6
    assert all(np.isfinite(look.limit) for look in looks)
    assert looks[-1].limit < looks[0].limit or looks[0].limit == 9.0


def test_contrasts_share_the_error() -> None:
    several = boundaries(FIFTHS, contrasts=10)
    assert several[-1].spent == pytest.approx(0.005)
    assert all(many.limit > one.limit for many, one in zip(several, boundaries(FIFTHS), strict=True))


def test_a_p_that_is_exactly_the_limit_passes() -> None:
    looks = boundaries(FIFTHS)
    assert crossed(looks, (looks[0].p,)) == 0
    assert crossed(looks, (float(np.nextafter(looks[0].p, 1)),)) is None


def test_looks_may_end_at_the_whole_and_never_beyond_it_or_at_nothing() -> None:
    assert boundaries((0.5, 1.0))[-1].fraction == 1.0
    for wrong in ((0.5, 1.0 + 1e-9), (0.0, 1.0), (0.5, 0.5), ()):
        with pytest.raises(ValueError, match="increasing shares"):
            boundaries(wrong)


def test_the_first_look_that_passes_is_told() -> None:
    looks = boundaries(FIFTHS)
    assert crossed(looks, (0.04, 0.0001)) == 1
    assert crossed(looks, (0.04, 0.01)) is None
    assert crossed(looks, ()) is None


@pytest.mark.parametrize("fractions", [(), (0.0, 1.0), (0.5, 0.5), (0.6, 0.4), (0.5, 1.1)])
def test_looks_that_do_not_increase_within_the_study_are_refused(fractions: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="increasing"):
        boundaries(fractions)
