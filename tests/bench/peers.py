"""The same model in other people's programs: each is asked in a process of its own, and its processor time counted."""

from __future__ import annotations

import csv
import json
import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analysis.stats.design import Design
from analysis.stats.mixed.posterior import Prior

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
    "clmm with clips": (
        "suppressMessages(library(ordinal))",
        "d$c <- factor(d$c); t <- system.time(m <- clmm(o ~ s + (1|r) + (1|r:s) + (1|c), d)); "
        "tell('clmm', t, m, c(0, m$beta) - m$alpha[1])",
    ),
}
# Bambi's default priors and sampler; four chains of 1,000 after 1,000, as ours are, one after the other in one process
# whatever the number of cores, so that its processor time is known even when it is stopped.
BAMBI = """
import json, logging, resource, sys, time, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import arviz, bambi, pandas
def spent():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
if __name__ == "__main__":
    data = pandas.read_csv("study.csv", dtype={"r": "category", "s": "category"})
    data["rs"] = (data.r.astype(str) + "-" + data.s.astype(str)).astype("category")
    cpu, wall = spent(), time.perf_counter()
    model = bambi.Model("y ~ 0 + s + (1|r) + (1|rs)", data)
    drawn = model.fit(draws=1000, tune=1000, chains=4, cores=1, random_seed=1, progressbar=False)
    cpu, wall = spent() - cpu, time.perf_counter() - wall
    table = arviz.summary(drawn, var_names=["s", "1|r_sigma", "1|rs_sigma"], round_to="none")
    column = lambda *names: [float(v) for v in next(table[n] for n in names if n in table)]
    print(json.dumps({"version": bambi.__version__, "cpu": cpu, "wall": wall, "means": column("mean"),
        "errors": column("mcse_mean"), "rhat": max(column("r_hat")), "ess": min(column("ess_bulk"))}))
"""

# With clips, and texts where the file has them, and with our own priors, so that the posteriors are the same one.
BAMBI_CLIPS = """
import json, logging, resource, sys, time, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import arviz, bambi, pandas
centre, spread, scale, df = map(float, sys.argv[1:])
if __name__ == "__main__":
    data = pandas.read_csv("study.csv").astype({"r": "category", "s": "category", "c": "category"})
    data["rs"] = (data.r.astype(str) + "-" + data.s.astype(str)).astype("category")
    groups = [name for name in ("r", "rs", "c", "t") if name in data]
    data[groups] = data[groups].astype("category")
    sd = lambda: bambi.Prior("HalfStudentT", nu=df, sigma=scale)
    priors = {f"1|{name}": bambi.Prior("Normal", mu=0, sigma=sd()) for name in groups}
    priors |= {"s": bambi.Prior("Normal", mu=centre, sigma=spread), "sigma": sd()}
    cpu, wall = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), time.perf_counter()
    model = bambi.Model("y ~ 0 + s + " + " + ".join(f"(1|{name})" for name in groups), data, priors=priors)
    drawn = model.fit(draws=2000, tune=1000, chains=4, cores=1, random_seed=1, progressbar=False, target_accept=0.95)
    cpu, wall = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - cpu, time.perf_counter() - wall
    rows = ["s", *(f"1|{name}_sigma" for name in groups), "sigma"]
    table = arviz.summary(drawn, var_names=rows, round_to="none")
    column = lambda name: [float(value) for value in table[name]]
    print(json.dumps({"version": bambi.__version__, "cpu": cpu, "wall": wall, "means": column("mean"),
        "errors": column("mcse_mean"), "sds": column("sd"), "rhat": max(column("r_hat")),
        "ess": min(column("ess_bulk"))}))
"""


@dataclass(frozen=True, slots=True)
class Sampled:
    """What another Bayesian program found: systems' means, then the SDs of raters and of raters by systems.

    With clips, those of clips, texts and the residual follow, and `sds` are the posterior's.
    """

    version: str
    cpu: float
    wall: float
    means: list[float]
    errors: list[float]
    rhat: float
    ess: float
    sds: list[float] = field(default_factory=list)


def ask_r(design: Design, name: str) -> list[float] | None:
    """Return processor seconds, log-likelihood, two SDs and coefficients; None where R or its package is missing."""
    program = shutil.which("Rscript")
    if program is None:
        return None
    library, call = ENGINES[name]
    done = ask([program, "-e", f"{library}\n{R}\n{call}\n"], design)
    return [float(part) for part in done.stdout.split()[1:]] if done.returncode == 0 else None


def ask_bambi(design: Design, python: str, patience: float, prior: Prior | None = None) -> Sampled | float:
    """Let the Bambi of that Python sample the model; raises `SystemExit` with what it said when it can't.

    With a `prior`, clips and texts are in the model, too. Stopped after so many seconds, it gives the processor seconds
    that it took in vain.
    """
    script, ours = BAMBI, []
    if prior is not None:
        script, ours = BAMBI_CLIPS, [str(part) for part in (prior.centre, prior.spread, prior.sd_scale, prior.df)]
    before = spent_by_others()
    try:
        done = ask([python, "-c", script, *ours], design, patience)
    except subprocess.TimeoutExpired:
        return spent_by_others() - before
    if done.returncode:
        raise SystemExit(done.stderr)
    return Sampled(**json.loads(done.stdout.splitlines()[-1]))


def spent_by_others() -> float:
    """Return the processor seconds of the programs that were started from here and have ended."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def ask(command: Sequence[str], design: Design, patience: float | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program beside the ratings: y, r (rater), s (system) and, where known, c (clip), t (text) in study.csv."""
    with tempfile.TemporaryDirectory() as folder:
        with (Path(folder) / "study.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            known = {"c": design.clip, "t": design.text}
            heard = {letter: codes for letter, codes in known.items() if codes is not None}
            writer.writerow(["y", "r", "s", *heard])
            writer.writerows(zip(design.score, design.rater, design.system, *heard.values(), strict=True))
        environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, env=environ, timeout=patience
        )
