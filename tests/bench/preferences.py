"""How often do intervals of preferences hold? `python -m tests.bench.preferences --sets 2000 --seed 77`.

Raters' and texts' liking of systems differs; truths are the averages over both. Counted are the intervals of all
differences of log-strengths, of the order effect and of all win shares, and studies of equal systems in which any pair
differs. For comparison: the model's own errors, and those by only raters. The program ends with 1 if default intervals
cover less than .93, those of strengths more than .985, or if the family error is above .065. The order effect and
shares have no upper bound: with few answers a pair their intervals are too wide.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import expit
from scipy.stats import norm, t

from analysis.stats.design import Floats
from analysis.stats.intervals import pair
from analysis.stats.preferences.answers import Preferences
from analysis.stats.preferences.choices import fit, strengths_basis
from analysis.stats.preferences.clustered import Clustered
from analysis.stats.preferences.paired import PairedResult, choices_of, compare
from tests.analysis.stats.preferences.contests import Contest
from tests.bench.stage import say

LOWEST, HIGHEST, FAMILY = 0.93, 0.985, 0.065
DESIGNS = {
    "3 systems, 10 raters, 10 texts": Contest(10, 10, 3),
    "3 systems, 10 raters, 30 texts": Contest(10, 30, 3),
    "5 systems, 20 raters, 20 texts": Contest(20, 20, 5),
    "5 systems, 30 raters, 10 texts": Contest(30, 10, 5),
    "5 systems, 30 raters, 30 texts, no ties": Contest(30, 30, 5, nu=0.0),
    "8 systems, 30 raters, 30 texts": Contest(30, 30, 8),
    "5 systems, 20 raters, 20 texts, all alike": Contest(20, 20, 5, liking=0.0, text=0.0),
}


@dataclass(frozen=True, slots=True)
class Truth:
    """The log-strengths, the order effect, and the share of wins (systems, systems), without ties."""

    strengths: Floats
    order: float
    shares: Floats

    @classmethod
    def of(cls, contest: Contest) -> Truth:
        """Fit the model to expected outcomes over endless raters and texts, by Newton's method.

        The difference of two systems' log-odds is Normal about that of a typical rater and text.
        """
        nodes, weights = np.polynomial.hermite_e.hermegauss(60)
        size, basis = contest.systems, strengths_basis(contest.systems)
        pairs = np.array([(one, two) for one in range(size) for two in range(size) if one != two])
        odds = contest.strengths[pairs[:, 0]] - contest.strengths[pairs[:, 1]] + contest.order
        latent = odds[:, None] + np.sqrt(2 * (contest.liking**2 + contest.text**2)) * nodes
        each = np.stack([np.exp(latent / 2), np.exp(-latent / 2), np.full_like(latent, contest.nu)])
        expected = (each / each.sum(axis=0)) @ (weights / weights.sum())
        half = np.column_stack([(basis[pairs[:, 0]] - basis[pairs[:, 1]]) / 2, np.full(len(pairs), 0.5)])
        features = np.zeros((3, len(pairs), size + 1))
        features[0, :, :size], features[1, :, :size], features[2, :, size] = half, -half, 1.0
        used = size + (contest.nu > 0)
        features, outcome = features[: 3 if contest.nu else 2, :, :used], expected[: 3 if contest.nu else 2]
        found = np.zeros(used)
        for _ in range(50):
            share = np.exp(features @ found)
            share /= share.sum(axis=0)
            centred = features - np.einsum("jn,jnp->np", share, features)
            information = np.einsum("jn,jnp,jnq->pq", share, centred, centred)
            found += np.linalg.solve(information, np.einsum("jn,jnp->p", outcome - share, features))
        wins = np.zeros((size, size))
        np.add.at(wins, (pairs[:, 0], pairs[:, 1]), expected[0])
        np.add.at(wins, (pairs[:, 1], pairs[:, 0]), expected[1])
        shares = np.divide(wins, wins + wins.T, out=np.full_like(wins, 0.5), where=wins > 0)
        return cls(basis @ found[: size - 1], float(found[size - 1]), shares)


def defaults(found: PairedResult, truth: Truth) -> dict[str, float]:
    """Return the share of intervals that hold the truth."""
    if found.strengths is None or found.order is None:
        return {}
    held = {
        "strengths": [
            each.low <= expit(truth.strengths[each.first] - truth.strengths[each.second]) <= each.high
            for each in found.strengths.pairs
        ],
        "order": [found.order.low <= truth.order <= found.order.high],
        "shares": [
            each.share.low <= truth.shares[each.first, each.second] <= each.share.high
            for each in found.shares
            if each.share is not None and each.share.low is not None and each.share.high is not None
        ],
    }
    return {name: float(np.mean(of)) for name, of in held.items() if of}


def others(answers: Preferences, truth: Truth) -> dict[str, float]:
    """Return how often intervals of strengths by other errors hold: of the model, and by only raters."""
    fitted = fit(choices_of(answers, with_order=True))
    size, basis = len(answers.systems), strengths_basis(len(answers.systems))
    by_rater = Clustered.of(fitted, answers.rater, None).factors[0]
    inverse = np.linalg.inv(fitted.information)
    held = defaultdict(list)
    for names in combinations(range(size), 2):
        row = np.zeros(len(inverse))
        row[: size - 1] = pair(size, *names) @ basis
        gap = abs(float(row @ fitted.coefficients) - float(truth.strengths[names[0]] - truth.strengths[names[1]]))
        raters = len(by_rater.sums)
        held["the model's own"].append(gap <= norm.isf(0.025) * np.sqrt(row @ inverse @ row))
        held["raters only"].append(gap <= t.isf(0.025, raters - 1) * np.sqrt(by_rater.variance(row)))
    return {name: float(np.mean(of)) for name, of in held.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--design", action="append", choices=list(DESIGNS), help="default: all")
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    broken = []
    say("| design | strengths | order | win shares | family error | model's own | raters only | refused |")
    for name in asked.design or DESIGNS:
        contest = DESIGNS[name]
        truth, equal = Truth.of(contest), replace(contest, range=0.0)
        tally, errors, refused = defaultdict(list), [], 0
        for number in range(asked.sets):
            rng = np.random.default_rng([asked.seed, number])
            answers = contest.draw(rng)
            found = compare(answers)
            refused += found.problem is not None
            for part, share in (defaults(found, truth) | ({} if found.problem else others(answers, truth))).items():
                tally[part].append(share)
            null = compare(equal.draw(rng))
            if null.strengths is not None:
                errors.append(min(each.p for each in null.strengths.pairs) < 0.05)
        share = {part: float(np.mean(rows)) for part, rows in tally.items()}
        family = float(np.mean(errors))
        covered = [share[part] for part in ("strengths", "order", "shares")]
        row = [*covered, family, share["the model's own"], share["raters only"]]
        say(f"| {name} | {' | '.join(f'{each:.3f}' for each in row)} | {refused} |")
        if not (min(covered) >= LOWEST and share["strengths"] <= HIGHEST and family <= FAMILY):
            broken.append(name)
    sys.exit(f"Out of bounds: {', '.join(broken)}" if broken else 0)


if __name__ == "__main__":
    main()
