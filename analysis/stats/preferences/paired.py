"""Preferences between two clips: Bradley–Terry and Davidson's model with a term for order (rule D14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from analysis.stats.design import Codes, Design, Floats
from analysis.stats.preferences.answers import Preferences, WinShare, win_shares
from analysis.stats.preferences.checks import Problem, graph_problem, separation_problem
from analysis.stats.preferences.choices import Choices, fit, strengths_basis
from analysis.stats.preferences.clustered import Clustered, Unbounded
from analysis.stats.preferences.strengths import Strengths, strengths
from analysis.stats.twoway import Means, means


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """δ, the log-odds by which the clip heard first is preferred among equal systems, with a two-sided p.

    `probability` is how often the first of two equal systems is preferred, ties apart.
    """

    value: float
    error: float
    df: float
    low: float
    high: float
    p: float
    probability: float
    probability_low: float
    probability_high: float


@dataclass(frozen=True, slots=True)
class Ties:
    """Davidson's `nu`, and the probability ν / (2 + ν) of a tie between equal systems without an effect of order."""

    nu: float
    probability: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedResult:
    """Counts and shares always; the model only if `problem` is None.

    `wins` and `ties` are (systems, systems), `names` the systems by code. `order` is None if it was not asked for,
    `tie` if there were no ties: the model is then Bradley and Terry's.
    """

    names: tuple[str, ...]
    wins: Codes
    ties: Codes
    shares: tuple[WinShare, ...]
    problem: Problem | None
    strengths: Strengths | None
    order: OrderEffect | None
    tie: Ties | None
    log_likelihood: float | None


def compare(preferences: Preferences, *, with_order: bool = True, level: float = 0.95) -> PairedResult:
    """Fit P(first) : P(second) : P(tie) = exp(η/2) : exp(−η/2) : ν with η = λ(first) − λ(second) + δ.

    Davidson (1970) and, with ν = 0, Bradley and Terry (1952); order as Davidson and Beaver (1977), with γ = exp(−δ)
    and their ν equal to ν · exp(−δ/2). Variances account for raters and texts. No model below 5 raters or 5 texts, if
    groups of systems were never compared, or if answers separate perfectly.
    """
    wins, ties = preferences.wins, preferences.ties
    shares = win_shares(preferences, level=level)
    heard = _heard(preferences)
    everything = np.full(len(preferences.systems), 1 / len(preferences.systems))
    refusal = heard.refusal(everything)
    problem = Problem(refusal) if refusal else graph_problem(wins, ties, preferences.systems)
    choices = None if problem else choices_of(preferences, with_order=with_order)
    if choices is not None:
        problem = separation_problem(choices, wins, preferences.systems)
    if choices is None or problem is not None:
        return PairedResult(preferences.systems, wins, ties, shares, problem, None, None, None, None)
    fitted = fit(choices)
    clustered = Clustered.of(fitted, preferences.rater, preferences.text)
    size = len(preferences.systems)
    order = _order(clustered, size - 1, 1 - level) if with_order else None
    tie = _tie(clustered, 1 - level) if ties.any() else None
    found = strengths(clustered, heard, level=level)
    return PairedResult(preferences.systems, wins, ties, shares, None, found, order, tie, fitted.log_likelihood)


def choices_of(preferences: Preferences, *, with_order: bool) -> Choices:
    """Return each answer as a choice of first, second and, if there are ties, neither.

    Features: strengths, order, ties.
    """
    basis = strengths_basis(len(preferences.systems))
    half = (basis[preferences.first] - basis[preferences.second]) / 2
    if with_order:
        half = np.column_stack([half, np.full(len(half), 0.5)])
    has_ties = bool((preferences.outcome == 0).any())
    alternatives = [half, -half, np.zeros_like(half)] if has_ties else [half, -half]
    features = np.stack(alternatives, axis=1)
    if has_ties:
        is_tie = np.zeros((*features.shape[:2], 1))
        is_tie[:, 2] = 1.0
        features = np.concatenate([features, is_tie], axis=2)
    count, number = features.shape[:2]
    picked = np.where(preferences.outcome > 0, 0, np.where(preferences.outcome < 0, 1, 2))
    chosen = (picked[:, None] == np.arange(number)).ravel()
    answers = np.arange(count)
    return Choices(features.reshape(count * number, -1), np.repeat(answers, number), chosen, answers)


def _heard(preferences: Preferences) -> Means:
    """Return the answers in which each system was heard; their score doesn't matter."""
    shown = np.concatenate([preferences.first, preferences.second])
    text = None if preferences.text is None else np.tile(preferences.text, 2)
    return means(Design.of(np.zeros(len(shown)), np.tile(preferences.rater, 2), shown, text=text))


def _unit(size: int, at: int) -> Floats:
    weights = np.zeros(size)
    weights[at] = 1.0
    return weights


def _order(clustered: Clustered, at: int, alpha: float) -> OrderEffect:
    interval = Unbounded(clustered.estimate(_unit(len(clustered.coefficients), at)))
    estimate = interval.estimate
    low, high = interval.ends(alpha)
    return OrderEffect(
        estimate.value, estimate.error, estimate.df, low, high, interval.p, *interval.probabilities(alpha)
    )


def _tie(clustered: Clustered, alpha: float) -> Ties:
    interval = Unbounded(clustered.estimate(_unit(len(clustered.coefficients), -1)))
    log_nu = interval.estimate.value
    # ν / (2 + ν) = expit(log ν − log 2)
    values = [float(expit(end - np.log(2))) for end in (log_nu, *interval.ends(alpha))]
    return Ties(float(np.exp(log_nu)), *values)
