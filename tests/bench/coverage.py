"""How often does each printed interval hold the truth? `python -m tests.bench.coverage --sets 2000 --seed 7`.

`--seed` draws the designs, and for each the studies. An interval that speaks of the clips that were rated is compared
with the crowd's score of these clips, any other with its score of all clips. Bounds: means and differences hold in .93
to .98 of studies (up to .99 with fewer than 10 raters or texts; no upper bound where the middle of the systems is at an
end of the scale), any pair of equal systems differs in at most .065. Intervals of models, d′, AUC and alpha are drawn
in fewer studies; they fail if the exact 99.9 % interval of their share lies outside the same bounds. Means and
differences also fail if more than .04 of their intervals lie above the truth, or below it (.045 at an end of the
scale, as of wrong "not inferior" in `tests.bench.designs`). The program ends with 1 if a cell fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import binomtest

from analysis.stats import refusals
from analysis.stats.agreement import krippendorff
from analysis.stats.contrasts import all_pairs
from analysis.stats.design import Codes, Design, Floats, NotEstimable
from analysis.stats.detection import detect
from analysis.stats.intervals import difference, intervals, pair
from analysis.stats.mixed import bayes, ordinal, reml
from analysis.stats.mixed.posterior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from analysis.stats.twoway import means
from tests.bench.drawn import SCALES, Drawn, Study
from tests.bench.stage import say

LOWEST, HIGHEST, FAMILY = 0.93, 0.98, 0.065
TAIL, TAIL_AT_END = 0.04, 0.045
FEW, HIGHEST_OF_FEW = 10, 0.99
# With more clips than this, a model with clips takes ten seconds a study, or chains as long, and is left out.
MOST_CLIPS, MOST_CLIPS_OF_CHAINS = 1000, 200
Held = Iterator[tuple[str, float]]
ABOVE, BELOW = ", above the truth", ", below the truth"
# The fitted random effects, and the lower and upper ends of systems' intervals (systems,).
Ends = tuple[tuple[str, ...], tuple[Floats, Floats]]
COLUMNS = (
    "means",
    "differences",
    "family error",
    "d′",
    "AUC",
    "alpha",
    "fast model, these clips",
    "fast model, all clips",
    "ordinal model, these clips",
    "ordinal model, all clips",
    "Bayesian HDI, these clips",
    "Bayesian HDI, all clips",
)


@dataclass(frozen=True)
class Cell:
    """One row of the table: `share` of `studies` in which an interval held, or in which a family error was made.

    `tail` is the larger share of intervals on one side of the truth, only of means and differences.
    """

    interval: str
    share: float
    studies: int
    tail: float
    is_within: bool


def defaults(study: Study) -> Held:
    """Yield the shares of means and of differences with an interval that holds the truth, and on both sides of it."""
    low, high = study.drawn.ends
    found = means(study.design)
    truth = study.heard if found.scope else study.drawn.truth
    rows = [
        (each.low, each.high, own)
        for each, own in zip(intervals(found, low=low, high=high), truth, strict=True)
        if each.low is not None
    ]
    if rows:
        yield from _shares("means", rows)
        size = len(truth)
        at = list(combinations(range(size), 2))
        ends = [difference(found, pair(size, *each), low=low, high=high).ends(0.05) for each in at]
        yield from _shares(
            "differences", [(*each, truth[one] - truth[two]) for each, (one, two) in zip(ends, at, strict=True)]
        )


def _shares(name: str, rows: list[Any]) -> Held:
    """Yield the shares of `rows` (low, high, truth) that hold the truth, are above it, and are below it."""
    low, high, truth = np.array(rows, dtype=float).T
    yield name, float(np.mean((low <= truth) & (truth <= high)))
    yield name + ABOVE, float(np.mean(low > truth))
    yield name + BELOW, float(np.mean(high < truth))


def family(study: Study) -> Held:
    """Yield 1.0 if any pair of equal systems differs; equal systems may differ on few shared texts, and truly so."""
    low, high = study.drawn.ends
    found = means(study.design)
    if not found.scope and not any(found.refusal(row) for row in np.eye(len(found.mean))):
        yield "family error", float(min(each.p for each in all_pairs(found, low=low, high=high)) < 0.05)


def detection(study: Study) -> Held:
    """Yield whether the intervals of d′ and AUC hold, with the last system as the human one."""
    drawn, design = study.drawn, study.design
    is_human = design.system == len(drawn.parts) - 1
    found = detect(design.score, is_human, design.rater, design.clip, design.text, high=drawn.ends[1])  # type: ignore[arg-type]
    if found and found.d_prime_interval and found.auc_interval:
        d_prime, auc = drawn.detection(study.shares if refusals.THESE_TEXTS in found.note else drawn.shares)
        yield "d′", float(found.d_prime_interval[0] <= d_prime <= found.d_prime_interval[1])
        yield "AUC", float(found.auc_interval[0] <= auc <= found.auc_interval[1])


def models(study: Study) -> Held:
    """Yield the share of each model's intervals of systems' scores that hold the truth; none where a page has none."""
    for with_clips, name in ((False, "these clips"), (True, "all clips")):
        rated = shown(study.design, with_clips=with_clips)
        clips = len(np.unique(study.design.clip)) if with_clips else 0
        if rated is None or clips > MOST_CLIPS:
            continue
        design, systems = rated
        for engine, fit in ENGINES.items():
            if engine == BAYES and clips > MOST_CLIPS_OF_CHAINS:
                continue
            try:
                fitted, (low, high) = fit(design, terms(design, with_clips=with_clips), study.drawn.ends)
            except (NotEstimable, ValueError):
                continue
            truth = (study.drawn.truth if {CLIP, TEXT} & set(fitted) else study.heard)[systems]
            known = np.isfinite(low)
            if known.any():
                yield f"{engine}, {name}", float(np.mean(((low <= truth) & (truth <= high))[known]))


def shown(design: Design, *, with_clips: bool) -> tuple[Design, Codes] | None:
    """Return the ratings that a page's model is fitted to and their systems (rule D12); None if it shows no model."""
    systems = np.setdiff1d(np.arange(design.systems), list(refusals.of_systems(design)))
    kept = design.where(np.isin(design.system, systems)) if len(systems) else design
    refused = [refusals.of_design(each, with_clips=with_clips) for each in (design, kept)]
    return None if not len(systems) or any(refused) or (with_clips and kept.has_few_texts) else (kept, systems)


def terms(design: Design, *, with_clips: bool) -> tuple[str, ...]:
    return (RATER, SLOPE, *([CLIP] if with_clips else []), *([TEXT] if with_clips and design.repeats_texts else []))


def by_reml(design: Design, terms: tuple[str, ...], ends: tuple[float, float]) -> Ends:
    fit = reml.fit(design, terms)
    low, high = np.clip(fit.intervals(), *ends).T
    return tuple(fit.sds), (low, high)


def by_laplace(design: Design, terms: tuple[str, ...], _ends: tuple[float, float]) -> Ends:
    fit = ordinal.fit(design, terms)
    return tuple(fit.sds), (fit.scores.low, fit.scores.high)


def by_chains(design: Design, terms: tuple[str, ...], ends: tuple[float, float]) -> Ends:
    draws = 1000 if CLIP in terms else 500
    fit = bayes.fit(design, Prior.of_scale(*ends), np.random.default_rng(0), terms, draws=draws)
    if fit.withheld:
        raise NotEstimable(fit.withheld)
    low, high = np.clip([(row.low, row.high) for row in fit.coefficients], *ends).T
    return tuple(fit.sds), (low, high)


BAYES = "Bayesian HDI"
ENGINES = {"fast model": by_reml, "ordinal model": by_laplace, BAYES: by_chains}


def alpha(drawn: Drawn, design: Design, truth: float) -> Held:
    clip = design.clip
    if clip is None:
        return
    # A rater who heard two takes counts once a clip: clips differ.
    rng = np.random.default_rng(0)
    found = krippendorff(design.score, clip, design.rater, "interval", rng, text=design.text, draws=200)
    if found.low is not None and found.high is not None and not refusals.of_alpha(design.raters, found.texts):
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
    expected_alpha = true_alpha(drawn, seed)
    held: dict[str, list[float]] = defaultdict(list)
    for number in range(sets):
        rng = np.random.default_rng([seed, number])
        study = drawn.study(rng)
        found = [*defaults(study), *family(drawn.study(rng, is_null=True))]
        if number < fewer:
            found += [*detection(study), *alpha(drawn, study.design, expected_alpha), *models(study)]
        for name, share in found:
            held[name].append(share)
    highest = HIGHEST_OF_FEW if min(drawn.raters, drawn.texts) < FEW else HIGHEST
    for name, shares in held.items():
        share, tails = float(np.mean(shares)), [float(np.mean(held.get(name + side, [0.0]))) for side in (ABOVE, BELOW)]
        if name.endswith((ABOVE, BELOW)):
            continue
        is_held = is_within(name, share, len(shares), 1.0 if drawn.is_at_end else highest)
        is_even = max(tails) <= (TAIL_AT_END if drawn.is_at_end else TAIL)
        yield Cell(name, share, len(shares), max(tails), is_held and is_even)


def is_within(interval: str, share: float, studies: int, highest: float) -> bool:
    if interval == "family error":
        return share <= FAMILY
    if interval in {"means", "differences"}:
        return LOWEST <= share <= highest
    exact = binomtest(round(share * studies), studies).proportion_ci(0.999)
    return bool(exact.high >= LOWEST and exact.low <= highest)


def row(number: int, sets: int, fewer: int, seed: int) -> tuple[Drawn, list[Cell]]:
    """Draw design `number` (from 1) and return its cells."""
    drawn = Drawn.by(np.random.default_rng([seed, number - 1]))
    return drawn, list(cells(drawn, sets, fewer, seed))


def line(number: int, drawn: Drawn, found: list[Cell]) -> str:
    shares = {cell.interval: f"{cell.share:.3f}" if cell.is_within else f"**{cell.share:.3f}**" for cell in found}
    return f"| {number}. {drawn} | " + " | ".join(shares.get(name, "") for name in COLUMNS) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, nargs="+", default=range(1, 21), help="which of the seed's, from 1")
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--fewer", type=int, default=200, help="studies for d′, AUC, alpha and models")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=1, help="designs at once")
    asked = parser.parse_args()
    broken, began = 0, time.monotonic()
    tails: dict[str, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    say(f"| design | {' | '.join(COLUMNS)} |")
    say("|---" * (len(COLUMNS) + 1) + "|")
    with ProcessPoolExecutor(asked.jobs) as pool:
        work = partial(row, sets=asked.sets, fewer=asked.fewer, seed=asked.seed)
        for number, (drawn, found) in zip(asked.designs, pool.map(work, asked.designs), strict=True):
            say(line(number, drawn, found))
            broken += sum(not cell.is_within for cell in found)
            for cell in found:
                if cell.interval in {"means", "differences"}:
                    tails[cell.interval] = max(tails[cell.interval], (cell.tail, number))
    worst = ", ".join(f"{name} {tail:.3f} (design {number})" for name, (tail, number) in sorted(tails.items()))
    say(f"\nLargest tails: {worst}\n{time.monotonic() - began:.0f} s; bold: out of bounds")
    sys.exit(f"{broken} cells are out of bounds" if broken else 0)


if __name__ == "__main__":
    main()
