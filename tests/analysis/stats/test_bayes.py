"""The Bayesian model against integration on a grid, its calibration, and when its result is withheld."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, multivariate_normal
from scipy.stats import t as student

from analysis.stats.design import Design, NotEstimable
from analysis.stats.mixed import bayes, reml
from analysis.stats.mixed.bayes import ess_bulk
from analysis.stats.mixed.likelihood import Likelihood
from analysis.stats.mixed.posterior import LogPosterior, Prior
from analysis.stats.mixed.sampler import Sampler
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE
from tests.analysis.stats.listeners import Crowd
from tests.analysis.stats.textbook import dyestuff

UNIT = Prior.of_scale(0.0, 1.0)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def small(seed: int = 0) -> Design:
    return Crowd(hls=(0.5, 0.2)).crossed(8, 4, 3, rng(seed))


def test_the_posterior_is_that_of_a_grid_over_both_sds() -> None:
    design, prior = small(), Prior(centre=0.5, spread=0.4, sd_scale=0.3)
    logs = np.linspace(-5, 1, 31)
    x = np.eye(2)[design.system]
    same = (design.rater[:, None] == design.rater[None, :]).astype(float)
    density, means = np.empty((31, 31)), np.empty((31, 31, 2))
    for i, rater in enumerate(logs):
        for j, residual in enumerate(logs):
            covariance = np.exp(2 * rater) * same + np.exp(2 * residual) * np.eye(len(same))
            marginal = covariance + prior.spread**2 * x @ x.T
            density[i, j] = multivariate_normal.logpdf(design.score, np.full(len(same), prior.centre), marginal)
            density[i, j] += sum(student.logpdf(np.exp(at) / 0.3, 4) + at for at in (rater, residual))
            gain = prior.spread**2 * x.T @ np.linalg.inv(marginal)
            means[i, j] = prior.centre + gain @ (design.score - prior.centre)
    weight = np.exp(density - density.max())
    weight /= weight.sum()
    found = bayes.fit(design, prior, rng(), (RATER,), least_cells=0)
    assert found.withheld == ""
    for system in range(2):
        row = found.coefficients[system]
        assert row.mean == pytest.approx((weight * means[:, :, system]).sum(), abs=4 * row.sd / np.sqrt(row.ess_bulk))
    for name, other in ((RATER, 1), ("residual", 0)):
        row = found.sds[name]
        assert row is not None
        wanted = float((weight.sum(axis=other) * np.exp(logs)).sum())
        assert row.mean == pytest.approx(wanted, abs=4 * row.sd / np.sqrt(row.ess_bulk) + 1e-3)


def test_with_many_ratings_it_agrees_with_the_fast_model() -> None:
    design = Crowd().skewed(4000, 170, 80, rng(3))
    found, fast = bayes.fit(design, UNIT, rng()), reml.fit(design)
    assert found.withheld == ""
    assert [row.mean for row in found.coefficients] == pytest.approx(fast.coefficients, abs=0.003)
    assert [row.sd for row in found.coefficients] == pytest.approx(fast.errors, rel=0.1)
    rater = found.sds[RATER]
    assert rater is not None
    assert rater.low < float(fast.sds[RATER] or 0) < rater.high
    assert found.worst_rhat < 1.01
    assert found.least_ess > 400
    assert found.draws.shape == (4000, 5)


def test_clips_and_covariates_are_sampled_as_the_fast_model_sees_them() -> None:
    plain = Crowd(hls=(0.5, 0.3), slope=1.5, clip=1.5).crossed(40, 20, 10, rng(4))
    design = Design.of(plain.score, plain.rater, plain.system, plain.clip, None, rng(5).random(len(plain.score)))
    terms = (RATER, SLOPE, CLIP)
    found, fast = bayes.fit(design, UNIT, rng(), terms, draws=500, warm_up=50), reml.fit(design, terms)
    assert found.withheld == ""
    assert [row.mean for row in found.coefficients] == pytest.approx(fast.coefficients, abs=0.01)
    assert [row.sd for row in found.coefficients] == pytest.approx(fast.errors, rel=0.15)


def test_a_variance_near_zero_is_sampled_as_far_as_zero() -> None:
    found = bayes.fit(dyestuff(), Prior.of_scale(0, 12), rng(), (RATER,), draws=400, warm_up=50)
    assert found.withheld == ""
    rater = found.sds[RATER]
    assert rater is not None
    assert rater.low < 0.2
    assert found.coefficients[0].mean == pytest.approx(5.6656, abs=0.1)


def test_chains_that_are_too_short_are_withheld_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.stats.mixed.bayes.ATTEMPTS", (1,))
    found = bayes.fit(small(), UNIT, rng(), draws=50)
    assert "did not agree well enough" in found.withheld
    assert (found.coefficients, found.sds, found.draws.size) == ((), {}, 0)


def test_the_slope_sd_is_withheld_below_thirty_repeated_cells() -> None:
    found = bayes.fit(small(), UNIT, rng())
    assert found.sds[SLOPE] is None
    assert found.sds[RATER] is not None
    assert "30 are needed" in found.notes[0]


def test_one_rating_a_rater_is_refused_in_words() -> None:
    with pytest.raises(NotEstimable, match="single rating"):
        bayes.fit(Design.of([0.0, 1.0, 0.5], [0, 1, 2], [0, 0, 1]), UNIT, rng())


def test_three_chains_are_too_few_to_compare() -> None:
    with pytest.raises(ValueError, match="four chains"):
        bayes.fit(small(), UNIT, rng(), chains=3)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, second = (bayes.fit(small(), UNIT, rng(7), (RATER,)) for _ in range(2))
    assert first.coefficients == second.coefficients


def test_the_prior_says_what_it_is() -> None:
    assert UNIT.in_words() == "mean of a system ~ Normal(0.5, 2.5); every SD ~ half-Student-t(4, 0, 0.5)"
    percent = "in percent, mean of a system ~ Normal(50, 250); every SD ~ half-Student-t(4, 0, 50)"
    assert UNIT.in_words(100) == percent


def test_truths_drawn_from_the_prior_rank_evenly_among_the_draws() -> None:
    """Simulation-based calibration (Talts et al. 2018), over every coefficient and SD."""
    prior, studies, bins = Prior(centre=0.0, spread=1.0, sd_scale=1.0), 40, 5
    rater, system = (column.ravel() for column in np.indices((10, 2, 3))[:2])
    ranks = []
    for number in range(studies):
        own = rng(number)
        sds = np.abs(own.standard_t(4, size=3))
        beta = own.normal(0, 1, 2)
        score = beta[system] + own.normal(0, sds[0], 10)[rater] + own.normal(0, sds[1], (10, 2))[rater, system]
        design = Design.of(score + own.normal(0, sds[2], len(rater)), rater, system)
        posterior = LogPosterior(Likelihood.of(design, (RATER, SLOPE)), prior, 2)
        drawn = Sampler(posterior, np.zeros(3), own, 4).run(40, 20)
        draws = np.concatenate([drawn.means.reshape(-1, 2), np.exp(drawn.logs.reshape(-1, 3))], axis=1)
        ranks.append((draws < np.concatenate([beta, sds])).mean(axis=0))
    for of_one in np.array(ranks).T:
        counts = np.histogram(of_one, bins=bins, range=(0, 1))[0]
        # One in a million by chance for each of five quantities.
        assert ((counts - studies / bins) ** 2).sum() / (studies / bins) < chi2.isf(1e-6, bins - 1)


def test_independent_draws_are_worth_their_number() -> None:
    assert ess_bulk(rng().standard_normal((4, 1000))) == pytest.approx(4000, rel=0.1)


def test_a_scale_a_hundred_times_as_wide_changes_nothing_but_the_unit() -> None:
    plain = Crowd(clip=0.8).crossed(40, 24, 8, np.random.default_rng([1, 0]))
    wide = Design.of(100 * plain.score, plain.rater, plain.system)
    first = bayes.fit(plain, UNIT, rng(), draws=500)
    second = bayes.fit(wide, Prior.of_scale(0, 100), rng(), draws=500)
    assert [row.mean for row in second.coefficients] == pytest.approx([100 * row.mean for row in first.coefficients])
