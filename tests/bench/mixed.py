"""How quick are the mixed models, and do they agree with R? `python -m tests.bench.mixed`, by hand.

One simulated study of the ATT paper's size: 20,000 ratings of 857 raters about 5 systems. Each engine fits it in turn,
in the same run; what is compared is processor time, which other work on the machine moves least. R's come from Debian
(r-base-core, r-cran-lme4, r-cran-ordinal); those that are not there are left out and named. `--large` fits 200,000
ratings of 8,570 raters, `--clips` the fast model with 2,000 clips as well.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from analysis.stats.agreement import krippendorff
from analysis.stats.design import Design
from analysis.stats.mixed import bayes, ordinal, reml
from analysis.stats.mixed.prior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE
from analysis.stats.twoway import intervals, means
from tests.analysis.stats.listeners import Crowd
from tests.bench.stage import say

# Each line an R script prints: name, seconds, log-likelihood, SDs of rater and rater:system, coefficients.
R = """
d <- read.csv("study.csv"); d$r <- factor(d$r); d$s <- factor(d$s); d$o <- factor(d$y, ordered = TRUE)
sds <- function(m) sapply(VarCorr(m), function(v) sqrt(v[1]))[c("r", "r:s")]
tell <- function(name, t, m, b) cat(name, sum(t[1:2]), as.numeric(logLik(m)), sds(m), b, "\\n")
"""
ENGINES = {
    "lme4::lmer": (
        "suppressMessages(library(lme4))",
        "t <- system.time(m <- lmer(y ~ 0 + s + (1|r) + (1|r:s), d)); tell('lmer', t, m, fixef(m))",
    ),
    "ordinal::clmm": (
        "suppressMessages(library(ordinal))",
        "t <- system.time(m <- clmm(o ~ s + (1|r) + (1|r:s), d)); tell('clmm', t, m, c(0, m$beta) - m$alpha[1])",
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--clips", action="store_true")
    parser.add_argument("--without-r", action="store_true")
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
    sampled, _ = timed("Bayesian", lambda: bayes.fit(design, Prior.of_scale(0, 1), np.random.default_rng(asked.seed)))
    say(f"  {sampled.method}, R-hat {sampled.worst_rhat:.4f}, ESS {sampled.least_ess:.0f} {sampled.withheld}")
    timed("two-way intervals", lambda: intervals(means(design), low=0, high=1), repeats=3)
    clip, rng = design.clip, np.random.default_rng(asked.seed)
    assert clip is not None
    timed("alpha, 500 bootstraps", lambda: krippendorff(design.score, clip, design.rater, "ordinal", rng))
    if asked.clips:
        timed("fast with 2,000 clips", lambda: reml.fit(design, (RATER, SLOPE, CLIP)))
    say(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, load {load()}")
    engines = {} if asked.without_r else ENGINES
    for name, (library, call) in engines.items():
        found = ask_r(design, library, call)
        if found is None:
            say(f"{name}: not here")
            continue
        mine, took = (fast, fast_took) if "lmer" in name else (graded, graded_took)
        own = fast.coefficients if "lmer" in name else graded.locations
        say(f"{name}: {found[0]:.2f} s of processor, {found[0] / took:.0f} times as much")
        say(f"  log-likelihood off by {abs(found[1] - mine.log_likelihood):.4f}")
        apart = [abs(theirs - (mine.sds[term] or 0.0)) for theirs, term in zip(found[2:4], (RATER, SLOPE), strict=True)]
        say(f"  SDs off by {max(apart):.5f}, coefficients by {np.abs(np.array(found[4:]) - own).max():.5f}")


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


def ask_r(design: Design, library: str, call: str) -> list[float] | None:
    """Return processor seconds, log-likelihood, two SDs and coefficients; None where R or its package is missing."""
    program = shutil.which("Rscript")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "study.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow("yrs")
            writer.writerows(zip(design.score, design.rater, design.system, strict=True))
        script = f"{library}\n{R}\n{call}\n"
        done = subprocess.run([program, "-e", script], cwd=folder, capture_output=True, text=True, check=False)
    return [float(part) for part in done.stdout.split()[1:]] if done.returncode == 0 else None


def show(sds: dict[str, float | None]) -> dict[str, float]:
    return {term: round(sd or 0.0, 5) for term, sd in sds.items()}


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
