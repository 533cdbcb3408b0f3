"""Ordinal and logistic models with clips and texts against ordinal::clmm and lme4::glmer.

The figures are those of R (ordinal, lme4) on the columns of `study()`, y as an ordered factor o:
`clmm(o ~ s + (1|r) + (1|r:s) + (1|c))`, the same with `+ (1|t)`, and, with 1 for y > .6,
`glmer(y ~ 0 + s + (1|r) + (1|r:s) + (1|c), family = binomial)` by bobyqa with rhoend 1e-8.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t

from analysis.stats.design import Design, NotEstimable
from analysis.stats.mixed import ordinal
from analysis.stats.mixed.crossed import Crossing, evaluate
from analysis.stats.mixed.laplace import CategoryCounts, Modes, RowDerivatives, grade
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from tests.analysis.stats.listeners import Crowd

HLS = (0.5, 0.4, 0.3, 0.25, 0.15)
TERMS = (RATER, SLOPE, CLIP)


def rng(*seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def study(clip: float = 0.7, seed: int = 11) -> Design:
    """Forty raters rate 8 of the 24 clips of each of five systems, which say the same texts."""
    made = Crowd(HLS, rater=1.2, slope=0.6, clip=clip).crossed(40, 24, 8, rng(seed, 1))
    return shared(made, 24)


def shared(design: Design, texts: int) -> Design:
    """Let the clips of every system say the same texts."""
    assert design.clip is not None
    return Design.of(design.score, design.rater, design.system, design.clip, design.clip % texts)


def test_clips_give_what_clmm_gives() -> None:
    found = ordinal.fit(study(), TERMS)
    assert found.locations == pytest.approx([0.21694576, -0.32203094, -1.38433113, -1.97924301, -2.36018288], abs=1e-3)
    assert found.location_errors[0] == pytest.approx(0.357250, abs=1e-3)
    assert found.thresholds == pytest.approx([0, 0.78414458], abs=1e-3)
    assert found.sds == pytest.approx({RATER: 1.61036277, SLOPE: 0.81498561, CLIP: 0.80037181}, abs=2e-3)
    assert found.log_likelihood == pytest.approx(-1071.122359, abs=0.01)
    assert found.notes == ()


def test_clips_and_texts_give_what_clmm_gives() -> None:
    found = ordinal.fit(study(), (*TERMS, TEXT))
    assert found.locations == pytest.approx([0.21177913, -0.32231110, -1.39216083, -1.96759192, -2.36418972], abs=1e-3)
    sds = {RATER: 1.61551139, SLOPE: 0.81243712, CLIP: 0.67249224, TEXT: 0.43648899}
    assert found.sds == pytest.approx(sds, abs=2e-3)
    assert found.log_likelihood == pytest.approx(-1068.835829, abs=0.01)


def test_intervals_of_scores_take_t_by_the_fewest_raters_clips_or_texts() -> None:
    """24 texts: 23 degrees of freedom, although there are 40 raters and 120 clips."""
    scores = ordinal.fit(study(), (*TERMS, TEXT)).scores
    errors = np.sqrt(np.diag(scores.covariance)) / (scores.mean * (1 - scores.mean))
    reach = (logit(scores.high) - logit(scores.low)) / 2
    assert reach / errors == pytest.approx(np.full(5, t.ppf(0.975, 23)))


def test_two_answers_give_what_glmer_gives() -> None:
    plain = study()
    design = Design.of(plain.score > 0.6, plain.rater, plain.system, plain.clip)
    found = ordinal.fit(design, TERMS)
    assert found.locations == pytest.approx([-0.63946719, -1.12141759, -2.14809183, -2.88862377, -3.28492830], abs=1e-3)
    assert found.location_errors == pytest.approx([0.378936, 0.385333, 0.407903, 0.437445, 0.450915], abs=1e-3)
    assert found.sds == pytest.approx({RATER: 1.59695165, SLOPE: 0.95218909, CLIP: 0.86491008}, abs=2e-3)
    assert found.log_likelihood == pytest.approx(-676.7076492, abs=0.01)


def test_clips_that_do_not_differ_leave_the_model_without_them() -> None:
    design = study(clip=0.0, seed=12)
    found, without = ordinal.fit(design, TERMS), ordinal.fit(design)
    assert found.sds == pytest.approx({**without.sds, CLIP: 0.0}, rel=1e-5)
    assert found.locations == pytest.approx(without.locations, abs=1e-5)
    assert found.notes == ("The variance of clip was estimated as zero.",)
    # clmm: -1247.406584, and .0001 for the clips.
    assert found.log_likelihood == pytest.approx(-1247.406584, abs=0.001)


@pytest.mark.parametrize("sds", [(1.3, 0.7, 0.9, 0.4), (0.4, 0.0, 1.5, 0.02)])
def test_the_gradient_is_that_of_the_approximated_likelihood(sds: tuple[float, ...]) -> None:
    design = shared(Crowd((0.5, 0.3, 0.2), clip=0.8).crossed(7, 6, 4, rng(3)), 6)
    kept = tuple(sd for sd in sds if sd)
    terms = (RATER, SLOPE, CLIP, TEXT) if sds[1] else (RATER, CLIP, TEXT)
    answers = CategoryCounts.of(design, grade(design)[0], terms)
    crossing = Crossing.of(design, answers, terms)
    point = np.array([-0.4, 0.6, 0.3, -0.8, *np.log(kept)])

    def at(where: np.ndarray) -> tuple[float, np.ndarray]:
        logs = np.exp(where[4:])
        pair = (float(logs[0]), float(logs[1]) if sds[1] else 0.0)
        modes = Modes.zero(answers, crossing.width)
        return evaluate(answers, crossing, where[:2], where[2:4], pair, logs[-2:], modes)

    _, gradient = at(point)
    for index, move in enumerate(np.eye(len(point)) * 1e-5):
        assert gradient[index] == pytest.approx((at(point + move)[0] - at(point - move)[0]) / 2e-5, abs=1e-4)


def test_a_search_that_goes_far_astray_stays_finite() -> None:
    design = study()
    answers = CategoryCounts.of(design, grade(design)[0], TERMS)
    eta = np.linspace(-900, 900, len(answers.count))
    for thresholds in ([-900.0, 900.0], [700.0, 900.0], [-900.0, -700.0]):
        rows = RowDerivatives.at(answers, np.array(thresholds), eta)
        assert np.isfinite(rows.logp(answers)).all()
        assert np.isfinite(rows.slope).all()


def test_large_tables_give_the_same_as_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    first = ordinal.fit(study(), (*TERMS, TEXT))
    monkeypatch.setattr("analysis.stats.mixed.crossed.MOST_DENSE", 0)
    second = ordinal.fit(study(), (*TERMS, TEXT))
    assert second.locations == pytest.approx(first.locations, abs=1e-6)
    assert second.location_errors == pytest.approx(first.location_errors, abs=1e-6)


def test_turning_the_scale_round_mirrors_the_scores() -> None:
    design = study()
    first, second = (
        ordinal.fit(Design.of(score, design.rater, design.system, design.clip), TERMS)
        for score in (design.score, 1 - design.score)
    )
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-3)
    assert second.sds == pytest.approx(first.sds, abs=2e-3)
    assert second.scores.mean == pytest.approx(1 - first.scores.mean, abs=1e-3)
    assert second.scores.low == pytest.approx(1 - first.scores.high, abs=2e-3)


def test_the_order_of_rows_and_the_names_of_levels_change_nothing() -> None:
    design = study()
    assert design.clip is not None
    order = rng(4).permutation(len(design.score))
    clips = rng(5).permutation(120)[design.clip]
    people = np.array([f"p{999 - 7 * rater}" for rater in design.rater])
    mixed = Design.of(design.score[order], people[order], design.system[order], clips[order])
    first, second = (ordinal.fit(each, TERMS) for each in (design, mixed))
    assert second.locations == pytest.approx(first.locations, abs=1e-4)
    assert second.scores.high == pytest.approx(first.scores.high, abs=1e-4)
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-6)


def test_population_averaged_scores_are_means_over_new_raters_and_new_clips() -> None:
    found = ordinal.fit(study(), TERMS)
    spread = np.sqrt(sum((sd or 0) ** 2 for sd in found.sds.values()))
    heard = found.locations[:, None] + spread * rng(3).standard_normal(200_000)
    expected = ((expit(heard) + expit(heard - found.thresholds[1])) / 2).mean(axis=1)
    assert found.scores.mean == pytest.approx(expected, abs=0.004)
    # Clips drawn anew make the difference of two systems less sure than these very clips do.
    first, without = found.scores.covariance, ordinal.fit(study()).scores.covariance
    assert first[0, 0] + first[1, 1] - 2 * first[0, 1] > without[0, 0] + without[1, 1] - 2 * without[0, 1]


@pytest.mark.parametrize(("limit", "least"), [("MOST_CROSSING", 119), ("LARGEST_TABLE", 23_999)])
def test_too_many_clips_are_refused_in_words(limit: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"analysis.stats.mixed.crossed.{limit}", least)
    with pytest.raises(NotEstimable, match=r"There are 120 clips and texts, rated by 200 combinations .*: too many"):
        ordinal.fit(study(), TERMS)


def test_a_clip_for_each_system_is_left_out_with_the_reason() -> None:
    design = study()
    found = ordinal.fit(Design.of(design.score, design.rater, design.system, design.system), TERMS)
    assert CLIP not in found.sds
    assert "Each system has a single clip, so its effect can't be told from the system's." in found.notes


def crossed(differ: float, seed: int) -> Design:
    """Twenty raters answer yes or no about 10 of the 16 clips of two systems, which differ so much (in logits)."""
    draw = np.random.default_rng(seed)
    raters, clips = draw.normal(0, 0.4, 20), draw.normal(0, differ, 16)
    rows = [(rater, clip) for rater in range(20) for clip in draw.choice(16, 10, replace=False)]
    rater, clip = (np.array(column) for column in zip(*rows, strict=True))
    system = clip // 8
    yes = draw.random(len(rater)) < expit(raters[rater] + clips[clip] + 0.5 - system)
    return Design.of(yes.astype(float), rater, system, clip)


def test_a_variance_that_is_zero_without_clips_is_found_with_them_as_glmer_finds_it() -> None:
    found = ordinal.fit(crossed(0.8, 29), TERMS)
    assert found.log_likelihood == pytest.approx(-118.0048495, abs=1e-3)
    assert found.sds == pytest.approx({RATER: 0.0, SLOPE: 0.348477, CLIP: 1.425235}, abs=2e-3)
    assert found.locations == pytest.approx([0.503369605, -0.654982977], abs=1e-3)


def test_clips_about_which_everybody_says_the_same_are_no_estimate() -> None:
    with pytest.raises(NotEstimable, match="nearly the same within each clip"):
        ordinal.fit(crossed(60.0, 1), TERMS)
