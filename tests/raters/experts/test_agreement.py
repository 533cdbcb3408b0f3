"""Cohen's kappa against figures that others have printed, and against another program."""

from __future__ import annotations

from math import ceil
from random import Random

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from studies.rules.agreement import FEWEST, SOURCE, kappa, pairs_needed


def pairs_of(table: list[list[int]]) -> list[tuple[str, str]]:
    """Return pairs that make up a table of counts."""
    return [(str(i), str(j)) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]


def test_the_textbooks_two_readers_of_grant_proposals() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: p_o = .70, p_e = .50, so kappa is .40.
    found = kappa(pairs_of([[20, 5], [10, 15]]))
    assert found
    assert found.pairs == 50
    assert found.observed == pytest.approx(0.70)
    assert found.value == pytest.approx(0.40)


def test_the_first_example_of_cohens_paper() -> None:
    # Cohen (1960), table 1, in 200 cases: proportions .44 .05 .01 / .07 .20 .03 / .09 .05 .06; kappa = .492.
    found = kappa(pairs_of([[88, 10, 2], [14, 40, 6], [18, 10, 12]]))
    assert found
    assert found.value == pytest.approx(0.492, abs=5e-4)


def test_kappa_and_its_interval_are_those_of_another_program() -> None:
    rng = Random(3)
    for size in (2, 3, 4):
        table = [[rng.randrange(1, 30) + (40 if i == j else 0) for j in range(size)] for i in range(size)]
        found = kappa(pairs_of(table))
        theirs = cohens_kappa(np.array(table))
        assert found
        assert found.value == pytest.approx(theirs.kappa)
        assert found.low == pytest.approx(theirs.kappa_low)
        assert found.high == pytest.approx(theirs.kappa_upp)


def test_nothing_is_claimed_without_pairs_or_without_variety() -> None:
    assert kappa([]) is None
    same = kappa([("a", "a")] * 30)
    assert same
    assert (same.observed, same.value, same.low) == (1.0, None, None)


def test_perfect_agreement_has_no_width_and_few_pairs_no_interval() -> None:
    perfect = kappa([("a", "a")] * 10 + [("b", "b")] * 10)
    assert perfect
    assert perfect.value == pytest.approx(1.0)
    assert (perfect.low, perfect.high) == (None, None)
    few = kappa([("a", "a")] * 5 + [("b", "b")] * 2 + [("a", "b")] * 2)
    assert few
    assert few.value is not None
    assert few.low is None


def test_the_interval_stays_where_kappa_can_be() -> None:
    worst = kappa([("a", "b"), ("b", "a")] * 6 + [("a", "a")])
    best = kappa([("a", "a")] * 9 + [("b", "b")] * 9 + [("a", "b")])
    assert worst
    assert best
    assert worst.low is not None
    assert worst.low >= -1
    assert best.high is not None
    assert best.high <= 1


def test_the_source_of_the_interval_is_named() -> None:
    assert "Fleiss, Cohen and Everitt (1969)" in SOURCE


def test_an_interval_without_width_is_not_shown() -> None:
    found = kappa([("yes", "yes")] * 9 + [("yes", "no")] * 2)
    assert found is not None
    assert (round(found.value or 0.0, 9), found.low, found.high) == (0.0, None, None)


@pytest.mark.parametrize("expected", [0.0, 0.4, 0.7, 0.9])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_the_pairs_needed_are_those_of_the_published_variance_for_two_categories(expected: float, share: float) -> None:
    # Bloch and Kraemer (1989), equal shares: (1 − κ) ((1 − κ)(1 − 2κ) + κ(2 − κ) / (2 π (1 − π))) / n.
    rest = 1 - expected
    variance = rest * (rest * (1 - 2 * expected) + expected * (2 - expected) / (2 * share * (1 - share)))
    assert pairs_needed(kappa=expected, share=share, half_width=0.08) == max(
        FEWEST, ceil(1.959964**2 * variance / 0.08**2)
    )


def test_with_the_pairs_needed_intervals_have_the_width_wanted() -> None:
    rng, share, expected = np.random.default_rng(2), 0.2, 0.7
    n = pairs_needed(kappa=expected, share=share, half_width=0.1)
    alike = share * (1 - share) * expected
    cells = [share**2 + alike, share * (1 - share) - alike, share * (1 - share) - alike, (1 - share) ** 2 + alike]
    widths = []
    for _ in range(300):
        counts = rng.multinomial(n, cells)
        found = kappa(pairs_of([[counts[0], counts[1]], [counts[2], counts[3]]]))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert np.mean(widths) / 2 == pytest.approx(0.1, abs=0.003)
