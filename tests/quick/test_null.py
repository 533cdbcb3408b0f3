"""Of two folders that are alike, few tests say that they differ; simulated answers, and the verdict of the command."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest

from quick.answers import Answer
from quick.verdicts import verdicts

TESTS, TEXTS = 200, 20
# .05 and two standard errors of a share of 200 tests.
MOST = 0.08


def simulated(task: str, listeners: int, gap: float, number: int) -> list[Answer]:
    """Return the answers of one test: each text has its own difference for all listeners, `gap` on average."""
    draw = np.random.default_rng([number, listeners, len(task)])
    texts, people = draw.normal(gap, 1.0, TEXTS), draw.normal(0, 0.3, listeners)
    latent = texts + people[:, None] * (listeners > 1)
    if task == "ab":
        gaps = np.where(draw.random(latent.shape) < expit(latent), 1.0, -1.0)
    else:
        gaps = np.clip(np.round(latent + draw.normal(0, 1.0, latent.shape)), -4, 4)
    return [
        Answer(listener, f"text {text}", "old", "new", float(gaps[listener, text]))
        for listener in range(listeners)
        for text in range(TEXTS)
    ]


def share_below(task: str, listeners: int, gap: float = 0.0, tests: int = TESTS) -> float:
    """Return the share of tests with p < .05."""
    found = [verdicts(simulated(task, listeners, gap, number), ("old", "new"), task, number) for number in range(tests)]
    return float(np.mean([verdict.p is not None and verdict.p < 0.05 for [verdict] in found]))


@pytest.mark.parametrize("task", ["ab", "acr"])
@pytest.mark.parametrize("listeners", [1, 4])
def test_equal_folders_differ_in_at_most_8_percent_of_200_tests(task: str, listeners: int) -> None:
    assert share_below(task, listeners) <= MOST


@pytest.mark.parametrize("listeners", [1, 4])
def test_a_clear_difference_is_found(listeners: int) -> None:
    assert share_below("ab", listeners, gap=3.0, tests=20) > 0.9


def test_answers_pooled_over_listeners_would_say_it_too_often() -> None:
    """The simulation has what makes the rule necessary: answers on one text that belong together."""
    ways = [[answer.gap > 0 for answer in simulated("ab", 4, 0.0, number)] for number in range(TESTS)]
    assert np.mean([binomtest(sum(each), len(each)).pvalue < 0.05 for each in ways]) > MOST
