"""The priors of the Bayesian model, in words."""

from __future__ import annotations

from analysis.stats.mixed.posterior import Prior


def test_priors_are_in_the_unit_that_pages_show() -> None:
    prior = Prior.of_scale(0, 1)
    assert prior.in_words() == "mean of a system ~ Normal(0.5, 2.5); every SD ~ half-Student-t(4, 0, 0.5)"
    percent = "in percent, mean of a system ~ Normal(50, 250); every SD ~ half-Student-t(4, 0, 50)"
    assert prior.in_words(100) == percent
