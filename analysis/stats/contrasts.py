"""All pairs of systems at once, tiers, ranks, and the comparison with human speech (rules D3 and D7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import t

from analysis.stats.design import Floats
from analysis.stats.figures import Contrast
from analysis.stats.twoway import Means

DRAWS = 50_000


@dataclass(frozen=True, slots=True)
class Versus:
    """A system less human speech: interval at `level` and a verdict at `margin`.

    `verdict` is "non_inferior" (the whole interval lies above −margin), "inferior" (all of it below) or "undecided". A
    difference that is not significant says nothing of the kind.
    """

    system: int
    difference: float
    low: float
    high: float
    margin: float
    verdict: str


def all_pairs(
    means: Floats, covariance: Floats, df: Floats, rng: np.random.Generator, *, level: float = 0.95
) -> tuple[Contrast[int], ...]:
    """Compare all pairs of `means` (g,) with `covariance` (g, g), on the smaller of both `df` (g,).

    The simultaneous intervals use the `level` quantile of the largest |t| of all pairs, drawn 50,000 times from the
    contrasts' joint Student-t (Hothorn, Bretz and Westfall 2008); p is the share of draws beyond, and never below
    1 / 50,001. For k equal means this is Tukey's range.
    """
    pairs = list(combinations(range(len(means)), 2))
    rows = np.zeros((len(pairs), len(means)))
    for at, (first, second) in enumerate(pairs):
        rows[at, first], rows[at, second] = 1.0, -1.0
    joint = rows @ covariance @ rows.T
    errors = np.sqrt(np.maximum(np.diag(joint), 0.0))
    freedom = np.array([min(df[first], df[second]) for first, second in pairs])
    largest = _largest(joint, errors, float(freedom.min()) if len(pairs) else 1.0, rng)
    wide = float(np.quantile(largest, level)) if len(pairs) else 0.0
    result = []
    for (first, second), row, error, own in zip(pairs, rows, errors, freedom, strict=True):
        difference, narrow = float(row @ means), float(t.ppf(0.5 + level / 2, own)) * float(error)
        seen = abs(difference) / error if error else float("inf") if difference else 0.0
        p = (1 + int((largest >= seen).sum())) / (1 + DRAWS)
        broad = wide * float(error)
        own_ends, all_ends = (difference - narrow, difference + narrow), (difference - broad, difference + broad)
        result.append(Contrast(first, second, difference, float(error), float(own), *own_ends, *all_ends, p))
    return tuple(result)


def of_means(group_means: Means, rng: np.random.Generator, *, level: float = 0.95) -> tuple[Contrast[int], ...]:
    """Compare all pairs of clustered means, falling back pair by pair to the larger one-way variance."""
    size = len(group_means.mean)
    covariance = group_means.covariance
    # The variances of pairs, not of means, are what contrasts read, so the covariances are set to agree with them.
    for first, second in combinations(range(size), 2):
        weights = np.zeros(size)
        weights[first], weights[second] = 1.0, -1.0
        between = (covariance[first, first] + covariance[second, second] - group_means.variance(weights)[0]) / 2
        covariance[first, second] = covariance[second, first] = between
    return all_pairs(group_means.mean, covariance, group_means.df.astype(np.float64), rng, level=level)


def tiers(means: Floats, differ: Callable[[int, int], bool]) -> tuple[str, ...]:
    """Return letters for each of `means` (g,): two share one exactly when they don't `differ` (Piepho 2004).

    "a" holds the highest mean; tiers may overlap. From the 27th on, letters are doubled.
    """
    order = np.argsort(-means, kind="stable")
    columns: list[set[int]] = [set(range(len(means)))]
    for first, second in combinations((int(index) for index in order), 2):
        if not differ(first, second):
            continue
        split: list[set[int]] = []
        for column in columns:
            split += [column - {first}, column - {second}] if {first, second} <= column else [column]
        columns = [
            column
            for at, column in enumerate(split)
            if not any(column < other or (column == other and at > before) for before, other in enumerate(split))
        ]
    place = {int(index): at for at, index in enumerate(order)}
    columns.sort(key=lambda column: sorted(place[index] for index in column))
    names = [chr(97 + at % 26) * (1 + at // 26) for at in range(len(columns))]
    letters = list(zip(names, columns, strict=True))
    return tuple("".join(name for name, column in letters if index in column) for index in range(len(means)))


def letters(means: Floats, contrasts: tuple[Contrast[int], ...], *, alpha: float = 0.05) -> tuple[str, ...]:
    """Return the tiers of `means` (g,) where two differ when their adjusted p is below `alpha`."""
    apart = {frozenset((contrast.first, contrast.second)) for contrast in contrasts if contrast.p < alpha}
    return tiers(means, lambda first, second: frozenset((first, second)) in apart)


def ranks(draws: Floats) -> Floats:
    """Return (g, g): the share of joint `draws` (m, g) in which each group comes first (highest), second …"""
    place = np.argsort(np.argsort(-draws, axis=1, kind="stable"), axis=1)
    size = draws.shape[1]
    return np.stack([np.bincount(place[:, group], minlength=size) for group in range(size)]) / len(draws)


def joint(means: Floats, covariance: Floats, rng: np.random.Generator, *, draws: int = 10_000) -> Floats:
    """Return (draws, g) draws of Normal(`means`, `covariance`), for `ranks` where no posterior was sampled."""
    values, vectors = np.linalg.eigh(covariance)
    noise = rng.standard_normal((draws, len(means)))
    sample: Floats = means + (noise * np.sqrt(np.maximum(values, 0))) @ vectors.T
    return sample


def against(human: int, contrasts: tuple[Contrast[int], ...], margin: float) -> tuple[Versus, ...]:
    """Compare each system with group `human` at `margin` > 0 by its own interval (two one-sided tests at 2.5 %)."""
    if margin <= 0:
        raise ValueError("the margin must be positive")
    result = []
    for contrast in contrasts:
        if human not in (contrast.first, contrast.second):
            continue
        turned = contrast.first == human
        sign = -1.0 if turned else 1.0
        low, high = sorted((sign * contrast.low, sign * contrast.high))
        verdict = "non_inferior" if low > -margin else "inferior" if high < -margin else "undecided"
        if contrast.error <= 0:
            # Answers without any variance judge nothing.
            verdict = "undecided"
        system = contrast.second if turned else contrast.first
        result.append(Versus(system, sign * contrast.difference, low, high, margin, verdict))
    return tuple(result)


def _largest(joint: Floats, errors: Floats, df: float, rng: np.random.Generator) -> Floats:
    """Draw the largest |t| of all contrasts at once."""
    alive = errors > 0
    if not alive.any():
        return np.zeros(DRAWS)
    scaled = joint[np.ix_(alive, alive)] / np.outer(errors[alive], errors[alive])
    values, vectors = np.linalg.eigh(scaled)
    is_positive = values > 1e-10
    root = vectors[:, is_positive] * np.sqrt(values[is_positive])
    largest = np.empty(DRAWS)
    # In parts: 190 contrasts of 20 systems would take 76 MB at once.
    for part in np.array_split(np.arange(DRAWS), 20):
        noise = rng.standard_normal((len(part), root.shape[1])) @ root.T
        largest[part] = np.abs(noise).max(axis=1)
    scale: Floats = np.sqrt(df / rng.chisquare(df, DRAWS))
    return largest * scale
