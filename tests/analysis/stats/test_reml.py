"""The fast model against lme4's printed results, against the plain formula, and where it must refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from analysis.stats.design import Design, NotEstimable
from analysis.stats.mixed.likelihood import Likelihood
from analysis.stats.mixed.reml import criterion, fit
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from tests.analysis.stats.listeners import Crowd
from tests.analysis.stats.textbook import dyestuff, machines


def test_unbalanced_machines_give_what_lmer_and_satterthwaite_print() -> None:
    kept = np.ones(54, dtype=bool)
    kept[np.array([1, 5, 9, 20, 21, 33, 40]) - 1] = False
    found = fit(machines().where(kept), least_cells=0)
    assert found.coefficients == pytest.approx([52.4776, 60.1490, 66.3057], abs=0.001)
    assert found.errors == pytest.approx([2.493181, 2.494912, 2.491369], abs=0.0002)
    assert found.sds == {RATER: pytest.approx(4.8248, abs=0.002), SLOPE: pytest.approx(3.68915, abs=0.002)}
    assert found.df == pytest.approx([8.443086, 8.466214, 8.418605], abs=0.005)
    assert found.log_likelihood == pytest.approx(-97.3967, abs=0.0001)


def test_a_variance_of_zero_is_found_and_said() -> None:
    found = fit(dyestuff(), (RATER,))
    assert found.sds == {RATER: 0.0}
    assert found.notes == ("The variance of rater was estimated as zero.",)


def study(seed: int, *, clip: float = 0.8) -> Design:
    rng = np.random.default_rng(seed)
    return Crowd(hls=(0.4, 0.3, 0.1), clip=clip).crossed(8, 6, 3, rng)


@given(
    seed=st.integers(0, 50),
    ratios=st.lists(st.floats(0, 3), min_size=4, max_size=4),
    covariates=st.integers(0, 2),
    effects=st.sampled_from([4, 2]),
)
@settings(max_examples=40, deadline=None)
def test_the_likelihood_is_that_of_the_full_covariance_matrix(
    seed: int, ratios: list[float], covariates: int, effects: int
) -> None:
    plain = study(seed)
    rng = np.random.default_rng(seed)
    design = Design.of(
        plain.score, plain.rater, plain.system, plain.clip, plain.clip % 6, rng.random((len(plain.score), covariates))
    )
    terms, ratios = (RATER, SLOPE, CLIP, TEXT)[:effects], ratios[:effects]
    likelihood = Likelihood.of(design, terms)
    covariance = np.eye(len(design.score))
    columns = (design.rater, design.cell, design.clip, design.text)[:effects]
    for ratio, codes in zip(ratios, columns, strict=True):
        covariance += ratio * (codes[:, None] == codes[None, :])
    x = np.hstack([np.eye(3)[design.system], design.covariates - design.covariates.mean(axis=0)])
    inverse = np.linalg.inv(covariance)
    beta = np.linalg.solve(x.T @ inverse @ x, x.T @ inverse @ design.score)
    residual = design.score - x @ beta
    freedom = len(residual) - x.shape[1]
    sigma = np.sqrt(residual @ inverse @ residual / freedom)
    # The restricted likelihood is the full one times √|σ²2π (X'V⁻¹X)⁻¹|.
    full = multivariate_normal.logpdf(residual, cov=sigma**2 * covariance)
    logdet = np.linalg.slogdet(x.T @ inverse @ x)[1]
    wanted = full - 0.5 * logdet + x.shape[1] / 2 * np.log(2 * np.pi * sigma**2)
    assert -0.5 * criterion(likelihood, np.array(ratios)) == pytest.approx(wanted, abs=1e-6)


def test_turning_the_scale_round_mirrors_the_means_and_nothing_else() -> None:
    design = study(1)
    turned = Design.of(1 - design.score, design.rater, design.system, design.clip)
    first, second = fit(design), fit(turned)
    assert second.coefficients == pytest.approx(1 - first.coefficients, abs=1e-5)
    assert second.errors == pytest.approx(first.errors, abs=1e-5)
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-6)


def test_order_of_rows_and_names_of_levels_change_nothing() -> None:
    design = study(2)
    order = np.random.default_rng(0).permutation(len(design.score))
    names = np.array(["zoe", "adam", "mia", "ben", "eve", "kim", "lea", "max"])
    other = Design.of(design.score[order], names[design.rater][order], design.system[order], design.clip[order])
    terms = (RATER, SLOPE, CLIP)
    assert fit(other, terms).coefficients == pytest.approx(fit(design, terms).coefficients, abs=1e-5)
    assert fit(other, terms).log_likelihood == pytest.approx(fit(design, terms).log_likelihood, abs=1e-6)


def test_the_slope_sd_is_not_printed_below_thirty_repeated_cells() -> None:
    found = fit(study(4))
    assert found.sds[SLOPE] is None
    assert any("24 combinations" in note and "30 are needed" in note for note in found.notes)


@pytest.mark.parametrize(
    ("rater", "system", "clip", "words"),
    [
        ([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 3], "There is only one rater."),
        ([0, 1, 2, 3], [0, 0, 1, 1], [0, 1, 2, 3], "Each rater has a single rating"),
        ([0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 1], "Each rater has a single rater:system"),
        ([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], "Each system has a single rater"),
    ],
)
def test_an_effect_that_another_mimics_is_left_out_with_a_reason(
    rater: list[int], system: list[int], clip: list[int], words: str
) -> None:
    found = fit(Design.of([0.0, 1.0, 0.5, 1.0], rater, system, clip), (RATER, SLOPE, CLIP))
    assert any(words in note for note in found.notes)


def test_an_effect_without_its_column_is_left_out_with_a_reason() -> None:
    plain = machines()
    assert "The ratings don't say which clip they belong to." in fit(plain, (RATER, CLIP)).notes


def test_equal_answers_are_refused_in_words() -> None:
    with pytest.raises(NotEstimable, match="All answers about a system are the same"):
        fit(Design.of([0.0, 0.0, 1.0, 1.0], [0, 1, 0, 1], [0, 0, 1, 1]))


def test_one_rating_a_system_is_refused_in_words() -> None:
    with pytest.raises(NotEstimable, match="no more ratings than means"):
        fit(Design.of([0.0, 1.0], [0, 1], [0, 1]))


def test_covariates_that_repeat_the_systems_are_refused_in_words() -> None:
    design = study(5)
    same = Design.of(design.score, design.rater, design.system, covariates=design.system.astype(float))
    with pytest.raises(NotEstimable, match="covariates say the same"):
        fit(same)


def test_no_ratings_are_refused_in_words_and_bad_columns_as_an_error() -> None:
    with pytest.raises(NotEstimable, match="no ratings"):
        Design.of([], [], [])
    with pytest.raises(ValueError, match="same length"):
        Design.of([1.0], [1, 2], [1])
    with pytest.raises(ValueError, match="finite"):
        Design.of([np.nan], [1], [1])


def test_the_papers_size_gives_the_papers_precision() -> None:
    found = fit(Crowd().skewed(20_000, 857, 400, np.random.default_rng(0)))
    assert ((found.errors > 0.0095) & (found.errors < 0.0115)).all()
    assert found.sds == {RATER: pytest.approx(0.234, abs=0.015), SLOPE: pytest.approx(0.108, abs=0.012)}
    held = (found.intervals()[:, 0] < Crowd().hls) & (Crowd().hls < found.intervals()[:, 1])
    assert held.sum() >= 4
