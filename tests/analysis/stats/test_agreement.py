"""Agreement against textbook values, and what must leave it unchanged (rule D8)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.stats.agreement import Metric, cohen, fleiss, krippendorff
from analysis.stats.design import NotEstimable
from tests.analysis.stats.listeners import Crowd
from tests.analysis.stats.textbook import long


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_alpha_counts_units_with_two_ratings_and_has_an_interval() -> None:
    """Krippendorff's (2011) twelve units; the twelfth has one rating."""
    found = krippendorff(*long("observers"), "nominal", rng(), draws=200)
    assert (found.units, found.ratings) == (11, 40)
    assert found.alpha is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.alpha <= found.high


@given(seed=st.integers(0, 200), metric=st.sampled_from(["nominal", "ordinal", "interval"]))
@settings(max_examples=30, deadline=None)
def test_order_names_and_a_mirrored_scale_change_nothing(seed: int, metric: Metric) -> None:
    own = rng(seed)
    value, unit, rater = own.integers(0, 3, 60).astype(float), own.integers(0, 12, 60), np.arange(60)
    plain = krippendorff(value, unit, rater, metric, rng(), draws=0).alpha
    order = own.permutation(60)
    again = krippendorff((2 - value)[order], (unit * 7 + 3)[order], rater[order], metric, rng(), draws=0).alpha
    assert again == pytest.approx(plain)


@given(seed=st.integers(0, 200))
@settings(max_examples=20, deadline=None)
def test_nominal_agreement_does_not_know_what_categories_are_called(seed: int) -> None:
    own = rng(seed)
    value, unit = own.integers(0, 3, 60), own.integers(0, 12, 60)
    renamed = np.array([7.0, -1.0, 3.0])[value]
    first, second = (krippendorff(v, unit, np.arange(60), "nominal", rng(), draws=0).alpha for v in (value, renamed))
    assert second == pytest.approx(first)


def test_full_agreement_is_one_and_no_variance_is_undefined() -> None:
    unit, rater = np.repeat(np.arange(10), 3), np.tile(np.arange(3), 10)
    assert krippendorff((unit % 2).astype(float), unit, rater, "ordinal", rng()).alpha == 1.0
    same = krippendorff(np.ones(30), unit, rater, "ordinal", rng())
    assert (same.alpha, same.low, same.high) == (None, None, None)


def test_single_ratings_are_refused_in_words() -> None:
    with pytest.raises(NotEstimable, match="No clip has two ratings"):
        krippendorff(np.ones(3), np.arange(3), np.arange(3), "nominal", rng())


def test_a_rater_drawn_twice_does_not_agree_with_themself() -> None:
    """Answers at random: copies of a rater would lift the whole interval above zero."""
    own = rng(5)
    unit, rater = (column.ravel() for column in np.indices((60, 6)))
    found = krippendorff(own.integers(0, 2, 360).astype(float), unit, rater, "nominal", rng(), draws=300)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high < 0.2


def test_clips_of_shared_texts_say_little_more_than_their_texts() -> None:
    """Eight systems speak ten texts, and texts alone differ: eighty clips are no eighty texts."""
    own = rng(6)
    rater, system, text = (column.ravel() for column in np.indices((20, 8, 10)))
    value = own.normal(0, 1, 10)[text] + own.normal(0, 1, len(text))
    clip = system * 10 + text
    alone, shared = (krippendorff(value, clip, rater, "interval", rng(), text=of, draws=200) for of in (clip, text))
    assert (alone.texts, shared.texts) == (80, 10)
    assert alone.low is not None
    assert shared.low is not None
    assert alone.alpha is not None
    assert alone.alpha == shared.alpha
    assert alone.alpha - shared.low > 2 * (alone.alpha - alone.low)


def test_the_papers_size_takes_moments() -> None:
    design = Crowd(clip=0.8).skewed(20_000, 857, 400, rng(1))
    assert design.clip is not None
    found = krippendorff(design.score, design.clip, design.rater, "ordinal", rng(), draws=20)
    assert found.alpha is not None
    assert 0.02 < found.alpha < 0.3
    assert found.ratings > 19_000


def test_cohens_kappa_is_that_of_statsmodels() -> None:
    # Cohen's classic: 50 proposals, two readers; .40.
    first = np.repeat([0, 0, 1, 1], [20, 5, 10, 15])
    second = np.repeat([0, 1, 0, 1], [20, 5, 10, 15])
    assert cohen(first, second) == pytest.approx(0.40)
    assert cohen(np.zeros(4, dtype=int), np.zeros(4, dtype=int)) is None


def test_fleiss_kappa_of_the_textbook() -> None:
    # Fleiss 1971 as in Gwet: ten patients, fourteen raters, five categories; .210.
    counts = np.array(
        [
            [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
        ]
    )  # fmt: skip
    assert fleiss(counts) == pytest.approx(0.210, abs=0.0005)
    assert fleiss(np.array([[3, 0], [3, 0]])) is None
    with pytest.raises(NotEstimable, match="same number of ratings"):
        fleiss(np.array([[3, 0], [2, 0]]))
