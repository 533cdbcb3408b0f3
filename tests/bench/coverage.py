"""How often does each printed interval hold the truth? `python -m tests.bench.coverage --sets 2000 --seed 7`.

`--seed` draws the designs, and for each the studies. Bounds: means and differences hold in .93 to .98 of studies (up to
.99 with fewer than 10 raters or texts; no upper bound where the middle of the systems is at an end of the scale), any
pair of equal systems differs in at most .065. Intervals of models, d′, AUC and alpha are drawn in fewer studies; they
fail if the exact 99.9 % interval of their share lies outside the same bounds. The program ends with 1 if a cell fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import binomtest

from analysis.stats.agreement import krippendorff
from analysis.stats.contrasts import all_pairs
from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.detection import detect
from analysis.stats.intervals import difference, intervals, pair
from analysis.stats.mixed import bayes, ordinal, reml
from analysis.stats.mixed.posterior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE
from analysis.stats.refusals import of_alpha
from analysis.stats.twoway import means
from tests.bench.drawn import SCALES, Drawn
from tests.bench.stage import say

LOWEST, HIGHEST, FAMILY = 0.93, 0.98, 0.065
FEW, HIGHEST_OF_FEW = 10, 0.99
Held = Iterator[tuple[str, float]]


@dataclass(frozen=True)
class Cell:
    """One row of the table: `share` of `studies` in which an interval held, or in which a family error was made."""

    interval: str
    share: float
    studies: int
    is_within: bool


def defaults(drawn: Drawn, design: Design, truth: Floats) -> Held:
    """Yield the shares of means and of differences with an interval that holds the truth."""
    low, high = drawn.ends
    found = means(design)
    rows = [each for each in zip(intervals(found, low=low, high=high), truth, strict=True) if each[0].low is not None]
    if rows:
        yield "means", float(np.mean([each.low <= own <= each.high for each, own in rows]))  # type: ignore[operator]
        size = len(truth)
        apart = [
            (difference(found, pair(size, *each), low=low, high=high).ends(0.05), truth[each[0]] - truth[each[1]])
            for each in combinations(range(size), 2)
        ]
        yield "differences", float(np.mean([ends[0] <= own <= ends[1] for ends, own in apart]))


def family(drawn: Drawn, design: Design) -> Held:
    """Yield 1.0 if any pair of equal systems differs."""
    low, high = drawn.ends
    yield "family error", float(min(each.p for each in all_pairs(means(design), low=low, high=high)) < 0.05)


def detection(drawn: Drawn, design: Design) -> Held:
    """Yield whether the intervals of d′ and AUC hold, with the last system as the human one."""
    is_human = design.system == len(drawn.parts) - 1
    found = detect(design.score, is_human, design.rater, design.clip, design.text, high=drawn.ends[1])  # type: ignore[arg-type]
    if found and found.d_prime_interval and found.auc_interval:
        yield "d′", float(found.d_prime_interval[0] <= drawn.d_prime <= found.d_prime_interval[1])
        yield "AUC", float(found.auc_interval[0] <= drawn.auc <= found.auc_interval[1])


def models(drawn: Drawn, design: Design, truth: Floats) -> Held:
    """Yield the share of each model's intervals of systems' scores that hold the truth."""
    for name, terms in (("fast model", (RATER, SLOPE)), ("fast model with clips", (RATER, SLOPE, CLIP))):
        ends = reml.fit(design, terms).intervals()
        yield name, float(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    scores = ordinal.fit(design).scores
    is_known = np.isfinite(scores.low)
    yield "ordinal model", float(np.mean(((scores.low <= truth) & (truth <= scores.high))[is_known]))


def posterior(drawn: Drawn, design: Design, truth: Floats) -> Held:
    """Yield the share of HDIs that hold the truth, where the chains converged."""
    found = bayes.fit(design, Prior.of_scale(*drawn.ends), np.random.default_rng(0), draws=500)
    if not found.withheld:
        held = [row.low <= own <= row.high for row, own in zip(found.coefficients, truth, strict=True)]
        yield "Bayesian HDI", float(np.mean(held))


def alpha(drawn: Drawn, design: Design, truth: float) -> Held:
    clip = design.clip
    if clip is None:
        return
    # A rater who heard two takes counts once a clip: clips differ.
    found = krippendorff(design.score, clip, design.rater, "interval", np.random.default_rng(0), draws=200)
    if found.low is not None and found.high is not None and not of_alpha(design.raters, found.units):
        yield "alpha", float(found.low <= truth <= found.high)


def true_alpha(drawn: Drawn, seed: int) -> float:
    """Return alpha of a study with very many raters and texts, of the same crowd."""
    rng = np.random.default_rng([seed, 0, 1])
    pairs = 400_000
    systems, (rater, liking, text) = len(drawn.parts), drawn.sds
    which = rng.choice(systems, pairs, p=drawn.parts)
    heard = rng.normal(0, np.sqrt(1.25) * text, pairs) + (rng.normal(0, 0.2, pairs) if drawn.takes > 1 else 0)
    scores = []
    for _ in range(2):
        latent = drawn.places[which] + heard + rng.normal(0, np.hypot(rater, liking), pairs) + rng.logistic(size=pairs)
        levels = np.array(SCALES[drawn.scale][1])
        category = np.searchsorted(np.array(SCALES[drawn.scale][0]), latent)
        is_careless = rng.random(pairs) < drawn.careless
        scores.append(levels[np.where(is_careless, rng.integers(0, len(levels), pairs), category)])
    observed = float(np.mean((scores[0] - scores[1]) ** 2))
    return 1 - observed / (2 * float(np.concatenate(scores).var()))


def cells(drawn: Drawn, sets: int, fewer: int, seed: int) -> Iterator[Cell]:
    """Yield each interval's share on this design; the slow ones are drawn in `fewer` studies."""
    truth, expected_alpha = drawn.truth, true_alpha(drawn, seed)
    held: dict[str, list[float]] = defaultdict(list)
    for number in range(sets):
        rng = np.random.default_rng([seed, number])
        design = drawn.study(rng)
        found = [*defaults(drawn, design, truth), *family(drawn, drawn.study(rng, is_null=True))]
        if number < fewer:
            found += slow(drawn, design, truth, expected_alpha)
        for name, share in found:
            held[name].append(share)
    highest = HIGHEST_OF_FEW if min(drawn.raters, drawn.texts) < FEW else HIGHEST
    for name, shares in held.items():
        share = float(np.mean(shares))
        yield Cell(name, share, len(shares), is_within(name, share, len(shares), 1.0 if drawn.is_at_end else highest))


def slow(drawn: Drawn, design: Design, truth: Floats, expected_alpha: float) -> Held:
    yield from detection(drawn, design)
    yield from alpha(drawn, design, expected_alpha)
    try:
        yield from models(drawn, design, truth)
    except NotEstimable:
        return


def is_within(interval: str, share: float, studies: int, highest: float) -> bool:
    if interval == "family error":
        return share <= FAMILY
    if interval in {"means", "differences"}:
        return LOWEST <= share <= highest
    exact = binomtest(round(share * studies), studies).proportion_ci(0.999)
    return bool(exact.high >= LOWEST and exact.low <= highest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=20)
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--fewer", type=int, default=200, help="studies for d′, AUC, alpha and models")
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    broken, began = 0, time.monotonic()
    for number in range(asked.designs):
        drawn = Drawn.by(np.random.default_rng([asked.seed, number]))
        say(f"\n{number + 1}. {drawn}\n")
        say("| interval | holds | studies | |")
        say("|---|---|---|---|")
        for cell in cells(drawn, asked.sets, asked.fewer, asked.seed):
            say(
                f"| {cell.interval} | {cell.share:.3f} | {cell.studies} | {'' if cell.is_within else 'out of bounds'} |"
            )
            broken += not cell.is_within
    say(f"\n{time.monotonic() - began:.0f} s")
    sys.exit(f"{broken} cells are out of bounds" if broken else 0)


if __name__ == "__main__":
    main()
