"""How often does an interval hold the truth? Simulated studies: `python -m tests.bench.methods --replicates 1000`.

Each study is drawn from a crowd with known expected scores (raters, their liking of a system, and clips differ), and
each method's interval of every system, and of every difference of two systems, is looked at. 95 % intervals should
hold the truth about 95 times in 100. `--null` asks instead how often a study without any difference stops early, and
`--repeats` how often intervals of repeated trials hold.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import norm, t

from analysis.stats import refusals, retest
from analysis.stats.design import Codes, Design, Floats
from analysis.stats.figures import Reliability
from analysis.stats.intervals import comparisons, difference, intervals, pair
from analysis.stats.mixed import bayes, ordinal, reml
from analysis.stats.mixed.posterior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE
from analysis.stats.stopping import boundaries, crossed
from analysis.stats.twoway import means
from tests.analysis.stats.listeners import ATT, Crowd
from tests.bench.stage import say

Draw = Callable[[np.random.Generator], Design]
Found = Iterator[tuple[str, Floats, Floats]]

SMALL = (0.05,) * 3


def scenarios() -> dict[str, tuple[tuple[float, ...], Draw]]:
    """Return {name: (true scores, how to draw a study)}."""
    clips, plain, low = Crowd(clip=0.8), Crowd(), Crowd(hls=SMALL, clip=0.8)
    return {
        "40 raters × 24 clips": (ATT, lambda rng: clips.crossed(40, 24, 24, rng)),
        "40 raters × 24 clips, each rater 8": (ATT, lambda rng: clips.crossed(40, 24, 8, rng)),
        "score .05, 40 raters × 24 clips": (SMALL, lambda rng: low.crossed(40, 24, 24, rng)),
        "paper's size, clips differ": (ATT, lambda rng: clips.skewed(20_000, 857, 400, rng)),
        "paper's size, clips alike": (ATT, lambda rng: plain.skewed(20_000, 857, 400, rng)),
    }


def two_way(design: Design) -> Found:
    found = means(design)
    ends = np.array([(each.low, each.high) for each in intervals(found, low=0.0, high=1.0)], dtype=float)
    size = len(found.mean)
    pairs = [difference(found, pair(size, *each), low=0.0, high=1.0) for each in combinations(range(size), 2)]
    yield "default (two-way)", ends, np.array([each.ends(0.05) for each in pairs])
    others: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for system in range(design.systems):
        mine = design.system == system
        for other in comparisons(design.score[mine], design.rater[mine]):
            others[other.label].append((other.low, other.high))
    raters = design.raters
    by_rater = differences(found.mean, lambda row: (float(row @ found.by_rater.variance @ row), raters - 1))
    for label, rows in others.items():
        yield label, np.array(rows), by_rater if label == "raters only" else np.zeros((0, 2))


def fast(design: Design) -> Found:
    fit = reml.fit(design)
    yield "fast, (rater) + (rater:system)", fit.intervals(), of_fit(fit)


def fast_clips(design: Design) -> Found:
    fit = reml.fit(design, (RATER, SLOPE, CLIP))
    yield "fast, + (clip)", fit.intervals(), of_fit(fit)


def of_fit(fit: reml.Fit) -> Floats:
    df = float(fit.df.min())
    return differences(fit.coefficients, lambda row: (float(row @ fit.covariance @ row), df))


def averaged(design: Design) -> Found:
    scores = ordinal.fit(design).scores
    pairs = differences(scores.mean, lambda row: (float(row @ scores.covariance @ row), 1e6))
    yield "ordinal, population-averaged", np.stack([scores.low, scores.high], axis=1), pairs


def sampled(design: Design) -> Found:
    found = bayes.fit(design, Prior.of_scale(0, 1), np.random.default_rng(0), draws=500)
    if not found.withheld:
        yield "Bayesian", np.array([(row.low, row.high) for row in found.coefficients]), np.zeros((0, 2))


METHODS = {"two-way": two_way, "fast": fast, "clips": fast_clips, "ordinal": averaged, "bayes": sampled}


def differences(mean: Floats, spread: Callable[[Floats], tuple[float, float]]) -> Floats:
    """Return (pairs, 2): each pair's interval by t."""
    rows = []
    for first, second in combinations(range(len(mean)), 2):
        row = np.zeros(len(mean))
        row[first], row[second] = 1.0, -1.0
        variance, df = spread(row)
        half = float(t.ppf(0.975, df)) * float(np.sqrt(variance))
        rows.append((mean[first] - mean[second] - half, mean[first] - mean[second] + half))
    return np.array(rows).reshape(-1, 2)


def cover(name: str, methods: list[str], replicates: int, seed: int) -> None:
    """Print a row for each method: share of intervals that hold the truth, for systems and for differences."""
    truth, draw = scenarios()[name]
    pairs = np.array([truth[first] - truth[second] for first, second in combinations(range(len(truth)), 2)])
    held: dict[str, list[list[Any]]] = defaultdict(lambda: [[], [], []])
    began = time.monotonic()
    for number in range(replicates):
        design = draw(np.random.default_rng([seed, number]))
        for method in methods:
            for label, ends, apart in METHODS[method](design):
                tally = held[label]
                tally[0].append(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
                tally[1].append(np.mean(ends[:, 1] - ends[:, 0]))
                if len(apart):
                    tally[2].append(np.mean((apart[:, 0] <= pairs) & (pairs <= apart[:, 1])))
    for label, (systems, width, contrasts) in held.items():
        error = np.std(systems) / np.sqrt(len(systems))
        shares = f"{np.mean(systems):.3f} ± {error:.3f} | {np.mean(contrasts) if contrasts else float('nan'):.3f}"
        say(f"| {name} | {label} | {shares} | {np.mean(width):.3f} | {len(systems)} |")
    say(f"  ({time.monotonic() - began:.0f} s)")


def stop_early(studies: int, seed: int, raters: int) -> None:
    """Print how many studies of two equal systems find a difference at any of five looks, naively and as planned.

    A look with too little data isn't taken, as in a study.
    """
    looks = boundaries((0.2, 0.4, 0.6, 0.8, 1.0))
    crowd = Crowd(hls=(0.3, 0.3), clip=0.8)
    naive = planned = 0
    for number in range(studies):
        design = crowd.crossed(raters, 60, 8, np.random.default_rng([seed, number]))
        ps = []
        for look in looks:
            so_far = design.where(design.rater < round(look.fraction * raters))
            if refusals.of_contrast(so_far, (0, 1)):
                ps.append(1.0)
                continue
            between = difference(means(so_far), pair(2, 0, 1), low=0.0, high=1.0)
            ps.append(2 * float(t.sf(between.t, between.estimate.df)))
        naive += min(ps) < 2 * norm.sf(norm.isf(0.025))
        planned += crossed(looks, tuple(ps)) is not None
    say(
        f"{studies} null studies, {raters} raters, five looks: naive {naive / studies:.3f}, "
        f"planned {planned / studies:.3f}"
    )


def repeated(raters: int, rng: np.random.Generator) -> tuple[Floats, Floats, Codes]:
    """Return first and second ratings on five points, three pairs of each rater, who differ in their error."""
    rater = np.repeat(np.arange(raters), 3)
    spread, true = np.sqrt(rng.uniform(0.05, 0.45, raters))[rater], rng.normal(3, 1, len(rater))
    first, again = (np.clip(np.round(true + spread * rng.normal(size=len(rater))), 1, 5) for _time in range(2))
    return first, again, rater


def repeats(studies: int, seed: int) -> None:
    """Print how often intervals of repeated trials hold the value of 200,000 raters."""
    engines: dict[str, Callable[[Floats, Floats, Codes], Reliability | None]] = {
        "ICC(A,1)": retest.icc,
        "weighted κ": retest.weighted_kappa,
        "κ": lambda first, again, rater: retest.kappa(first.astype(np.int64), again.astype(np.int64), rater),
    }
    crowd = repeated(200_000, np.random.default_rng(seed))
    truth = {name: engine(*crowd) for name, engine in engines.items()}
    for raters in (10, 20, 50):
        held = defaultdict(list)
        for number in range(studies):
            study = repeated(raters, np.random.default_rng([seed, number]))
            for name, engine in engines.items():
                found, true = engine(*study), truth[name]
                if found and true and found.low is not None and found.high is not None:
                    held[name].append(found.low <= true.value <= found.high)
        say(f"{raters} raters: " + ", ".join(f"{name} {np.mean(each):.3f}" for name, each in held.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--scenario", action="append", choices=list(scenarios()), help="default: all")
    parser.add_argument("--method", action="append", choices=list(METHODS), help="default: two-way and fast")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--null", action="store_true", help="stopping instead of coverage")
    parser.add_argument("--raters", type=int, default=100, help="with --null")
    parser.add_argument("--repeats", action="store_true", help="repeated trials instead of means")
    asked = parser.parse_args()
    if asked.null:
        stop_early(asked.replicates, asked.seed, asked.raters)
        return
    if asked.repeats:
        repeats(asked.replicates, asked.seed)
        return
    say("| study | interval | systems | differences | mean width | studies |")
    for name in asked.scenario or scenarios():
        cover(name, asked.method or ["two-way", "fast"], asked.replicates, asked.seed)


if __name__ == "__main__":
    main()
