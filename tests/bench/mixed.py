"""How quick are the mixed models, and do they agree with R? `python -m tests.bench.mixed`, by hand.

One simulated study of the ATT paper's size: 20,000 ratings of 857 raters about 5 systems. Each engine fits it in turn,
in the same run; what is compared is processor time, which other work on the machine moves least. R's come from Debian
(r-base-core, r-cran-lme4, r-cran-ordinal); those that are not there are left out and named. `--bambi PYTHON` asks the
Bambi of another environment, too. `--large` fits 200,000 ratings of 8,570 raters, `--clips` models with clips as well:
the fast one with 2,000, the ordinal one on as many ratings of 400 clips, and on a study small enough for `clmm`.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.stats.agreement import krippendorff
from analysis.stats.intervals import intervals
from analysis.stats.mixed import bayes, ordinal, reml
from analysis.stats.mixed.posterior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE
from analysis.stats.twoway import means
from tests.analysis.stats.listeners import Crowd
from tests.bench.peers import Sampled, ask_bambi, ask_r
from tests.bench.stage import say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--clips", action="store_true")
    parser.add_argument("--without-r", action="store_true")
    parser.add_argument("--bambi", metavar="PYTHON", help="the interpreter of an environment that has Bambi")
    parser.add_argument("--patience", type=float, default=1800, help="seconds after which Bambi is stopped")
    asked = parser.parse_args()
    size = 10 if asked.large else 1
    design = Crowd().skewed(20_000 * size, 857 * size, 400, np.random.default_rng(asked.seed))
    cores = os.cpu_count()
    say(f"{len(design.score):,} ratings, {design.raters} raters; {platform.machine()}, {cores} cores, load {load()}")
    # The first call of anything loads and warms what it needs.
    reml.fit(design)
    fast, fast_took = timed("fast", lambda: reml.fit(design), repeats=3)
    say(f"  {fast.coefficients.round(5)} SDs {show(fast.sds)} log-likelihood {fast.log_likelihood:.3f}")
    graded, graded_took = timed("ordinal", lambda: ordinal.fit(design), repeats=2)
    say(f"  {graded.locations.round(5)} SDs {show(graded.sds)} log-likelihood {graded.log_likelihood:.3f}")
    sampled, sampled_took = timed(
        "Bayesian", lambda: bayes.fit(design, Prior.of_scale(0, 1), np.random.default_rng(asked.seed))
    )
    say(f"  {sampled.method}, R-hat {sampled.worst_rhat:.4f}, ESS {sampled.least_ess:.0f} {sampled.withheld}")
    timed("two-way intervals", lambda: intervals(means(design), low=0, high=1), repeats=3)
    clip, rng = design.clip, np.random.default_rng(asked.seed)
    assert clip is not None
    timed("alpha, 500 bootstraps", lambda: krippendorff(design.score, clip, design.rater, "ordinal", rng))
    if asked.clips:
        timed("fast with 2,000 clips", lambda: reml.fit(design, (RATER, SLOPE, CLIP)))
        with_clips(asked.seed, without_r=asked.without_r)
    say(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, load {load()}")
    if asked.bambi:
        tell_bambi(sampled, sampled_took, ask_bambi(design, asked.bambi, asked.patience))
    for name in () if asked.without_r else ("lme4::lmer", "ordinal::clmm"):
        found = ask_r(design, name)
        if found is None:
            say(f"{name}: not here")
            continue
        mine, took = (fast, fast_took) if "lmer" in name else (graded, graded_took)
        own = fast.coefficients if "lmer" in name else graded.locations
        say(f"{name}: {found[0]:.2f} s of processor, {found[0] / took:.0f} times as much")
        say(f"  log-likelihood off by {abs(found[1] - mine.log_likelihood):.4f}")
        apart = [abs(theirs - (mine.sds[term] or 0.0)) for theirs, term in zip(found[2:4], (RATER, SLOPE), strict=True)]
        say(f"  SDs off by {max(apart):.5f}, coefficients by {np.abs(np.array(found[4:]) - own).max():.5f}")


def with_clips(seed: int, *, without_r: bool) -> None:
    """Print how long the ordinal model with clips takes, and how far `clmm` is from it."""
    many = Crowd(clip=0.6).skewed(20_000, 857, 80, np.random.default_rng(seed))
    timed("ordinal with 400 clips, 20,000 ratings of 857 raters", lambda: ordinal.fit(many, (RATER, SLOPE, CLIP)))
    few = Crowd(clip=0.7).crossed(40, 24, 8, np.random.default_rng(seed))
    mine, took = timed(
        "ordinal with 120 clips, 1,600 ratings of 40 raters", lambda: ordinal.fit(few, (RATER, SLOPE, CLIP)), repeats=2
    )
    found = None if without_r else ask_r(few, "clmm with clips")
    if found is None:
        return
    say(f"clmm with clips: {found[0]:.2f} s of processor, {found[0] / took:.0f} times as much")
    say(f"  log-likelihood off by {abs(found[1] - mine.log_likelihood):.4f}")
    say(f"  coefficients off by {np.abs(np.array(found[4:]) - mine.locations).max():.5f}")


def tell_bambi(mine: bayes.Summary, took: float, theirs: Sampled | float) -> None:
    """Print how much longer Bambi took, and how far its means and SDs are away."""
    if isinstance(theirs, float):
        say(f"Bambi: stopped after {theirs:.1f} s of processor, more than {theirs / took:.0f} times as much")
        return
    times = theirs.cpu / took
    say(f"Bambi {theirs.version}: {theirs.cpu:.1f} s of processor ({theirs.wall:.1f} s), {times:.0f} times as much")
    say(f"  R-hat {theirs.rhat:.4f}, ESS {theirs.ess:.0f}")
    own = [row.mean for row in (*mine.coefficients, *(row for row in (mine.sds[RATER], mine.sds[SLOPE]) if row))]
    # Their priors are not ours; at this size that moves the means by less than the chains do.
    say(f"  means and SDs off by {np.abs(np.array(theirs.means) - own).max():.5f}")


def timed(name: str, call: Callable[[], Any], *, repeats: int = 1) -> tuple[Any, float]:
    """Return the result and the least of its processor times, and print it with the quickest wall time."""
    walls, cpus = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    say(f"{name}: {min(walls):.3f} s ({min(cpus):.3f} s of processor)")
    return result, min(cpus)


def show(sds: dict[str, float | None]) -> dict[str, float]:
    return {term: round(sd or 0.0, 5) for term, sd in sds.items()}


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
