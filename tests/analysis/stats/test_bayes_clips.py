"""The Bayesian model with clips and texts: against NUTS, its calibration, and what it does where it is hard."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from analysis.stats.design import Design, NotEstimable
from analysis.stats.mixed import bayes, reml
from analysis.stats.mixed.likelihood import Likelihood
from analysis.stats.mixed.posterior import LogPosterior, Prior
from analysis.stats.mixed.sampler import Sampler
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from tests.analysis.stats.listeners import Crowd

UNIT = Prior.of_scale(0.0, 1.0)
TERMS = (RATER, SLOPE, CLIP)
# Bambi 0.17 (NUTS) on study() with the same priors: posterior mean, SD and the mean's Monte Carlo error, of
# three systems, then of the SDs in the order of the terms, and of the residual's.
NUTS = {
    TERMS: [
        (0.43780, 0.07424, 0.00078),
        (0.34070, 0.07483, 0.00077),
        (0.26120, 0.07521, 0.00075),
        (0.19471, 0.04359, 0.00055),
        (0.11516, 0.04363, 0.00087),
        (0.12702, 0.03504, 0.00044),
        (0.36763, 0.01631, 0.00017),
    ],
    (*TERMS, TEXT): [
        (0.43763, 0.07741, 0.00119),
        (0.34214, 0.07961, 0.00121),
        (0.26174, 0.07901, 0.00123),
        (0.19394, 0.04411, 0.00085),
        (0.11762, 0.04245, 0.00109),
        (0.13171, 0.03709, 0.00077),
        (0.03889, 0.03436, 0.00056),
        (0.36759, 0.01616, 0.00025),
    ],
}


def rng(*seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def study(clip: float = 0.7, texts: int = 8) -> Design:
    """Twenty-four raters rate 5 of the 8 clips of each of three systems, which say the same texts."""
    made = Crowd((0.5, 0.35, 0.2), rater=1.2, slope=0.6, clip=clip).crossed(24, 8, 5, rng(21, 1))
    assert made.clip is not None
    return Design.of(made.score, made.rater, made.system, made.clip, made.clip % texts)


def fit(design: Design, terms: tuple[str, ...] = TERMS, **changes: int) -> bayes.Summary:
    return bayes.fit(design, UNIT, rng(3), terms, **changes)


@pytest.mark.parametrize("terms", [TERMS, (*TERMS, TEXT)])
def test_the_posterior_is_that_of_nuts(terms: tuple[str, ...]) -> None:
    found = fit(study(), terms)
    assert found.withheld == ""
    rows = [*found.coefficients, *(row for row in found.sds.values() if row)]
    for row, (mean, sd, error) in zip(rows, NUTS[terms], strict=True):
        assert row.mean == pytest.approx(mean, abs=4 * np.hypot(error, row.sd / np.sqrt(row.ess_bulk)))
        assert row.sd == pytest.approx(sd, rel=0.12)


def test_clips_that_do_not_differ_are_sampled_as_far_as_zero() -> None:
    """Raters who differ by .2 on the scale and rate clips that are all alike: proposals alone are enough."""
    found = fit(study(clip=0.0), draws=600)
    clip = found.sds[CLIP]
    assert (found.withheld, found.method) == ("", "independence")
    assert clip is not None
    assert clip.low < 0.01
    assert clip.high < 0.12


def test_clips_widen_what_is_said_of_systems_as_in_the_fast_model() -> None:
    design = study(clip=1.4)
    found, fast, without = fit(design, draws=500), reml.fit(design, TERMS), reml.fit(design)
    assert found.withheld == ""
    assert [row.mean for row in found.coefficients] == pytest.approx(fast.coefficients, abs=0.015)
    assert all(row.sd > 1.1 * error for row, error in zip(found.coefficients, without.errors, strict=True))
    clip = found.sds[CLIP]
    assert clip is not None
    assert clip.low < float(fast.sds[CLIP] or 0) < clip.high


def hard() -> Design:
    """Twelve raters and six clips of each system, of which the mode of the posterior says little."""
    made = Crowd((0.5, 0.3, 0.2)).crossed(12, 6, 4, np.random.default_rng(2))
    assert made.clip is not None
    return Design.of(made.score, made.rater, made.system, made.clip, made.clip % 6)


def test_proposals_that_fit_badly_are_learnt_from_the_run_before() -> None:
    design = hard()
    posterior = LogPosterior(Likelihood.of(design, (*TERMS, TEXT)), UNIT, design.systems)
    start = np.array([-1.7, -1.7, -1.7, -1.7, -1.2])
    sampler = Sampler(posterior, start, rng(1), 4)
    first = sampler.run(400, 50)
    sampler.learn()
    second = sampler.run(100, 50)
    assert first.accepted < 0.25
    assert second.accepted > 1.5 * first.accepted
    assert second.logs.shape == (4, 100, 5)


def test_a_second_run_continues_the_chains_and_has_all_their_draws() -> None:
    design = study()
    posterior = LogPosterior(Likelihood.of(design, TERMS), UNIT, design.systems)
    start = np.array([-1.7, -1.7, -1.7, -1.2])
    sampler = Sampler(posterior, start, rng(1), 4)
    first, both = sampler.run(60, 10), sampler.run(40, 10)
    assert both.logs.shape == (4, 100, 4)
    assert (both.logs[:, :60] == first.logs).all()
    assert (both.means[:, :60] == first.means).all()
    moves = (np.diff(both.logs, axis=1) != 0).any(axis=2).mean()
    assert both.accepted == pytest.approx(moves, abs=0.02)


def test_proposals_can_be_learnt_from_a_single_draw_of_each_chain() -> None:
    design = study()
    posterior = LogPosterior(Likelihood.of(design, TERMS), UNIT, design.systems)
    start = np.array([-1.7, -1.7, -1.7, -1.2])
    sampler = Sampler(posterior, start, rng(1), 2)
    assert sampler.run(1, 0).logs.shape == (2, 1, 4)
    sampler.learn()
    assert sampler.run(60, 10).accepted > 0


def test_ratios_beyond_all_bounds_have_no_density() -> None:
    posterior = LogPosterior(Likelihood.of(study(), (*TERMS, TEXT)), UNIT, 3)
    assert posterior.at(np.array([-1.0, -1.0, 60.0, 60.0, -30.0])).density == float("-inf")
    assert np.isfinite(posterior.at(np.array([-1.0, -1.0, -20.0, -2.0, -1.0])).density)


def test_chains_with_clips_that_stay_too_short_are_withheld_with_a_reason() -> None:
    found = fit(study(), draws=20, warm_up=5)
    assert "did not agree well enough" in found.withheld
    assert "each rater, system and clip." in found.withheld
    assert found.sds == {}


@pytest.mark.parametrize(("limit", "least"), [("MOST_CROSSING", 31), ("MOST_RATINGS", 359)])
def test_too_many_clips_are_refused_with_what_to_use_instead(
    limit: str, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"analysis.stats.mixed.bayes.{limit}", least)
    with pytest.raises(NotEstimable, match=r"There are 32 clips and texts and 360 ratings: .* fast model with clips"):
        fit(study(), (*TERMS, TEXT))
    assert bayes.fit(study(), UNIT, rng(), (RATER,), draws=200).sds[RATER] is not None


def test_a_clip_for_each_system_is_no_effect_of_clips() -> None:
    plain = study()
    with pytest.raises(NotEstimable, match="Each system has a single clip, so its effect can't be told"):
        fit(Design.of(plain.score, plain.rater, plain.system, plain.system), (CLIP,))


def test_large_tables_have_the_likelihood_of_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, terms = study(), (*TERMS, TEXT)
    design = Design.of(plain.score, plain.rater, plain.system, plain.clip, plain.text, rng(5).random(360))
    first = Likelihood.of(design, terms)
    monkeypatch.setattr("analysis.stats.mixed.likelihood.FULL", 2.0)
    second = Likelihood.of(design, terms)
    assert (first.products.is_thin, second.products.is_thin) == (False, True)
    for ratios in ([0.3, 0.2, 0.1, 0.05], [0.0, 0.4, 0.0, 0.1], [0.0, 0.0, 0.0, 0.0]):
        one, other = first.at(np.array(ratios)), second.at(np.array(ratios))
        assert other.logdet == pytest.approx(one.logdet)
        assert other.square == pytest.approx(one.square)
        assert other.side == pytest.approx(one.side, abs=1e-9)
        assert other.cross == pytest.approx(one.cross, abs=1e-9)


def test_truths_drawn_from_the_prior_rank_evenly_among_the_draws() -> None:
    """Simulation-based calibration (Talts et al. 2018) of every coefficient and SD, with twelve studies."""
    prior = Prior(centre=0.0, spread=1.0, sd_scale=1.0)
    rater, clip = (column.ravel() for column in np.indices((8, 8)))
    system, ranks, studies, bins = clip // 4, [], 12, 4
    for number in range(studies):
        rng = np.random.default_rng((number, 7))
        sds = np.abs(rng.standard_t(4, size=4))
        beta = rng.normal(0, 1, 2)
        score = beta[system] + rng.normal(0, sds[0], 8)[rater] + rng.normal(0, sds[1], (8, 2))[rater, system]
        score = score + rng.normal(0, sds[2], 8)[clip] + rng.normal(0, sds[3], len(rater))
        posterior = LogPosterior(Likelihood.of(Design.of(score, rater, system, clip), TERMS), prior, 2)
        drawn = Sampler(posterior, np.zeros(4), rng, 4).run(40, 20)
        draws = np.concatenate([drawn.means.reshape(-1, 2), np.exp(drawn.logs.reshape(-1, 4))], axis=1)
        ranks.append((draws < np.concatenate([beta, sds])).mean(axis=0))
    even = studies / bins
    counts = [np.histogram(ranks_of_one, bins=bins, range=(0, 1))[0] for ranks_of_one in np.array(ranks).T]
    # One in a million by chance for each of six quantities.
    assert max(((count - even) ** 2).sum() / even for count in counts) < chi2.isf(1e-6, bins - 1)
