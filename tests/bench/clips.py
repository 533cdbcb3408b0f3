"""The Bayesian model with clips: how long it takes, and is it Bambi's? `python -m tests.bench.clips`, by hand.

Simulated studies of several sizes, whose clips don't differ, differ a little, or much; what is told is processor time.
`--bambi PYTHON` lets the Bambi of another environment sample a small study under the same priors, with clips and with
clips and texts, and prints its posterior as `test_bayes_clips` keeps it.
"""

from __future__ import annotations

import argparse

import numpy as np

from analysis.stats.design import Design
from analysis.stats.mixed import bayes
from analysis.stats.mixed.posterior import Prior
from analysis.stats.mixed.terms import CLIP, RATER, SLOPE, TEXT
from tests.analysis.stats.listeners import Crowd
from tests.analysis.stats.test_bayes_clips import TERMS, UNIT, study
from tests.bench.mixed import timed
from tests.bench.peers import ask_bambi
from tests.bench.stage import say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true", help="20,000 ratings, too, with 400 and with 1,000 clips")
    parser.add_argument("--bambi", metavar="PYTHON", help="the interpreter of an environment that has Bambi")
    parser.add_argument("--patience", type=float, default=3600, help="seconds after which Bambi is stopped")
    asked = parser.parse_args()
    for clip in (0.0, 0.2, 0.4, 0.8):
        design = Crowd(clip=clip).crossed(40, 24, 8, np.random.default_rng(asked.seed))
        tell(f"40 raters, 120 clips, latent SD {clip}", design, asked.seed)
    for clips in (80, 200) if asked.large else ():
        design = Crowd(clip=0.4).skewed(20_000, 857, clips, np.random.default_rng(asked.seed))
        tell(f"20,000 ratings of 857 raters, {5 * clips:,} clips", design, asked.seed)
    if asked.bambi:
        for terms in (TERMS, (*TERMS, TEXT)):
            compare(terms, asked.bambi, asked.patience)


def tell(name: str, design: Design, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found, _ = timed(name, lambda: bayes.fit(design, Prior.of_scale(0, 1), rng, (RATER, SLOPE, CLIP)))
    say(f"  {found.accepted:.2f} accepted, R-hat {found.worst_rhat:.4f}, ESS {found.least_ess:.0f} {found.withheld}")


def compare(terms: tuple[str, ...], python: str, patience: float) -> None:
    """Print Bambi's means, SDs and errors, and how many Monte Carlo errors ours are away."""
    plain = study()
    design = plain if TEXT in terms else Design.of(plain.score, plain.rater, plain.system, plain.clip)
    mine, took = timed(", ".join(terms), lambda: bayes.fit(design, UNIT, np.random.default_rng(1), terms))
    theirs = ask_bambi(design, python, patience, UNIT)
    if isinstance(theirs, float):
        say(f"Bambi: stopped after {theirs:.1f} s of processor")
        return
    say(f"Bambi {theirs.version}: {theirs.cpu:.1f} s of processor, {theirs.cpu / took:.0f} times as much")
    rows = [*mine.coefficients, *(row for row in mine.sds.values() if row)]
    for row, mean, sd, error in zip(rows, theirs.means, theirs.sds, theirs.errors, strict=True):
        away = (row.mean - mean) / np.hypot(error, row.sd / np.sqrt(row.ess_bulk))
        say(f"  ({mean:.5f}, {sd:.5f}, {error:.5f}),  # {away:+.1f} errors away")


if __name__ == "__main__":
    main()
