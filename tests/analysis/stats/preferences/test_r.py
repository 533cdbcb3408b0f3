"""Preferences, rankings and d′ against R 4.2.2, on data sets that its packages ship."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.preferences import best_worst, rankings
from analysis.stats.preferences.answers import Preferences
from analysis.stats.preferences.choices import fit, separation
from analysis.stats.preferences.clustered import Clustered
from analysis.stats.preferences.discrimination import abx_d_prime, same_different_d_prime
from analysis.stats.preferences.paired import choices_of, compare
from analysis.stats.preferences.tuples import Shown
from tests.analysis.stats.preferences.contests import against_first, contest, estimates


def test_ties_with_an_effect_of_order_agree_with_a_poisson_model() -> None:
    """The same with a term for the row, heard first: glm(y ~ match + strengths + tie + first, family = poisson)"""
    found, errors = estimates(choices_of(contest("springall"), with_order=True), 9)
    assert found == pytest.approx(
        [
            *(2.27621579133, 3.30255713279, 0.41668670855, 1.92315871546, 2.88206738355),
            *(-1.24564215593, 0.04185095791, 0.66335810009, 0.03342833503, -0.14436692569),
        ],
        abs=1e-8,
    )
    assert errors == pytest.approx(
        [
            *(0.28695398304, 0.33009591401, 0.28461529507, 0.32642224401, 0.38384053745),
            *(0.36451247143, 0.38418539536, 0.42310182150, 0.19905386351, 0.09019720874),
        ],
        rel=1e-5,
    )


def test_results_hold_the_strengths_of_the_poisson_model() -> None:
    """Springall's, less their mean, and ν = exp(tie)"""
    result = compare(contest("springall"), with_order=False)
    assert result.strengths is not None
    assert result.tie is not None
    assert [row.value for row in result.strengths.systems] == pytest.approx(
        [
            *(-1.1133667196, 1.1598628260, 2.1773832198, -0.7157562551, 0.7814227140),
            *(1.7294805737, -2.3948333966, -1.1182645859, -0.5059283762),
        ],
        abs=1e-8,
    )
    assert result.tie.nu == pytest.approx(0.8655486542, abs=1e-8)


def crossed() -> Preferences:
    """Answers of 14 raters to 9 texts by a formula that R has, too."""
    text, rater = (codes.ravel() for codes in np.indices((9, 14)))
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])[(rater + 2 * text + rater * text) % 6]
    turned = (rater + text) % 2 == 1
    first, second = np.where(turned, pairs[:, 1], pairs[:, 0]), np.where(turned, pairs[:, 0], pairs[:, 1])
    height = (3 * rater**2 + 5 * text**2 + 7 * first + 2 * second + rater * text) % 11
    return Preferences.of(rater, text, first, second, np.where(height + first - second < 6, "first", "second"))


@pytest.mark.parametrize(
    ("by", "variances"),
    [
        ("rater", [0.034910241952, 0.19115425581, 0.04827515742, 0.072467940457]),
        ("text", [0.07459389747, 0.3130479340, 0.05456948834, 0.06200660095]),
        ("answer", [0.107736884269, 0.19963839288, 0.119737120214, 0.046485740745]),
    ],
)
def test_clustered_variances_agree_with_sandwich(by: str, variances: list[float]) -> None:
    """sandwich::vcovCL(glm(…, family = binomial), cluster, type = "HC0", cadjust = TRUE)"""
    answers = crossed()
    fitted, rows = against_first(choices_of(answers, with_order=True), 4)
    assert rows @ fitted.coefficients == pytest.approx(
        [-0.08996607691, -1.60500619018, -0.75774214377, 0.36976952145], abs=1e-8
    )
    cluster = {"rater": answers.rater, "text": answers.text, "answer": np.arange(126)}[by]
    assert cluster is not None
    factor = Clustered.of(fitted, cluster, None).factors[0]
    assert [factor.variance(row) for row in rows] == pytest.approx(variances, rel=1e-6)


def test_the_largest_variance_is_used() -> None:
    """Of V_R + V_T − V_RT, V_R and V_T by `sandwich` above: raters and texts for the order, one of them for others."""
    answers = crossed()
    fitted, rows = against_first(choices_of(answers, with_order=True), 4)
    clustered = Clustered.of(fitted, answers.rater, answers.text)
    found = [clustered.estimate(row) for row in rows]
    assert [each.error**2 for each in found] == pytest.approx(
        [0.07459389747, 0.3130479340, 0.05456948834, 0.08798880066], rel=1e-6
    )
    assert [each.method for each in found] == ["larger one-way"] * 3 + ["two-way"]


def orders() -> list[list[int]]:
    """Rankings of four systems in 40 answers by a formula that R has, too."""
    keys = [[(3 * i * i + 7 * i * s + 5 * s * s) % 17 + 3 * s for s in range(4)] for i in range(40)]
    return [sorted(range(4), key=lambda s, key=key: (key[s], s)) for key in keys]  # type: ignore[misc]


def test_rankings_agree_with_clogit() -> None:
    """survival::clogit(first ~ systems + strata(stage)), a stage for each rank but the last"""
    choices = rankings.choices_of(Shown.of(range(40), None, orders()))
    found, errors = estimates(choices, 4)
    assert found == pytest.approx([-1.185823615, -1.453119035, -3.185459436], abs=1e-7)
    assert errors == pytest.approx([0.3273197119, 0.3272191507, 0.4462012139], rel=1e-5)
    assert fit(choices).log_likelihood == pytest.approx(-87.17083712, abs=1e-6)


def test_best_worst_agrees_with_clogit() -> None:
    """survival::clogit with a stage for the best, and one with the sign turned for the worst of the others"""
    ranked = orders()
    shown = [sorted(order) for order in ranked]
    best, worst = [order[0] for order in ranked], [order[-1] for order in ranked]
    choices = best_worst.choices_of(best_worst.BestWorstAnswers.of(range(40), None, shown, best, worst))
    found, errors = estimates(choices, 4)
    assert found == pytest.approx([-1.009810236, -2.018630785, -3.712922027], abs=1e-7)
    assert errors == pytest.approx([0.3624118026, 0.4810881682, 0.5306430849], rel=1e-5)
    assert fit(choices).log_likelihood == pytest.approx(-58.69237395, abs=1e-6)


def test_answers_of_published_sets_do_not_separate() -> None:
    assert all(
        separation(choices_of(contest(name), with_order=True).margins) is None for name in ("baseball", "springall")
    )


@pytest.mark.parametrize(
    ("share", "d_prime"), [(0.55, 0.7614), (0.6, 1.1152), (0.75, 2.0200), (0.9, 3.2631), (0.99, 5.7009)]
)
def test_d_prime_of_abx_agrees_with_psyphy(share: float, d_prime: float) -> None:
    """psyphy::dprime.ABX(Pc.unb = share, method = "diff")"""
    assert abx_d_prime(share) == pytest.approx(d_prime, abs=2e-4)


@pytest.mark.parametrize(
    ("hit", "false_alarm", "d_prime"), [(0.642, 0.3, 1.95060), (0.8, 0.2, 3.00096), (0.95, 0.1, 4.65234)]
)
def test_d_prime_of_same_different_agrees_with_psyphy(hit: float, false_alarm: float, d_prime: float) -> None:
    """psyphy::dprime.SD(H = hit, FA = false_alarm, method = "diff")"""
    assert same_different_d_prime(hit, false_alarm) == pytest.approx(d_prime, abs=2e-4)
