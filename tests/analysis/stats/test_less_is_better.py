"""Scores that count errors: verdicts, tiers and ranks for the same figures turned round."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.data.groups import HUMAN
from analysis.sections.contrasts.compute import of_design, of_systems
from analysis.stats.contrasts import against
from analysis.stats.design import Design
from analysis.stats.figures import Contrast

NAMES = [("good", ""), ("bad", ""), ("human", HUMAN)]


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.30, 0.04, "non_inferior"), (0.06, 0.2, "inferior"), (0.01, 0.2, "undecided"), (-0.2, -0.1, "non_inferior")],
)
def test_not_inferior_means_fewer_errors_than_human_speech_and_the_margin(
    low: float, high: float, verdict: str
) -> None:
    pair = Contrast(0, 1, (low + high) / 2, 0.1, 9.0, low, high, low, high, 0.5)
    [versus] = against(1, (pair,), 0.05, sign=-1)
    assert (versus.verdict, versus.low, versus.high) == (verdict, low, high)
    turned = Contrast(1, 0, -(low + high) / 2, 0.1, 9.0, -high, -low, -high, -low, 0.5)
    assert against(1, (turned,), 0.05, sign=-1)[0].verdict == verdict


def test_the_first_tier_and_rank_have_the_fewest_errors() -> None:
    rng = np.random.default_rng(2)
    rater, text, system = (each.reshape(-1) for each in np.meshgrid(np.arange(12), np.arange(10), np.arange(3)))
    scores = np.clip(np.array([0.2, 0.7, 0.05])[system] + rng.normal(0, 0.1, len(system)), 0, 1)
    design = Design.of(scores, rater, system, 10 * system + text, text)
    errors = of_systems(of_design(design, NAMES, low=0, high=1, sign=-1), rng)
    assert [(tier.name, tier.letters) for tier in errors.tiers] == [("human", "a"), ("good", "b"), ("bad", "c")]
    assert errors.tiers[0].ranks[0] > 0.99
    usual = of_systems(of_design(design, NAMES, low=0, high=1), rng)
    assert [tier.name for tier in usual.tiers] == ["bad", "good", "human"]
