"""How often do the intervals of d′ and AUC hold the truth? `python -m tests.bench.detection --studies 1000`.

Each study is drawn from a crowd whose d′ and AUC are known (raters and clips differ). A study with too little to say
(rule D12) has no interval and is counted apart.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from analysis.stats.detection import detect
from tests.analysis.stats.tellers import Tellers
from tests.bench.stage import say

CROWDS = {
    "12 raters × 8 + 8 clips, all heard": Tellers(12, (8, 8), (8, 8), (0.35, 0.75)),
    "25 raters × 16 + 16, all heard": Tellers(25, (16, 16), (16, 16), (0.3, 0.7), clip=1.0),
    "50 raters × 30 + 30, 6 each": Tellers(50, (30, 30), (6, 6), (0.45, 0.8)),
    "the same, clips alike": Tellers(50, (30, 30), (6, 6), (0.45, 0.8), clip=0.0),
    "the same, raters alike": Tellers(50, (30, 30), (6, 6), (0.45, 0.8), rater=0.0, liking=0.0),
    "100 raters × 20 + 20, all heard": Tellers(100, (20, 20), (20, 20), (0.35, 0.75)),
    "100 raters × 20 + 20, clip SD 1.6": Tellers(100, (20, 20), (10, 10), (0.35, 0.75), clip=1.6),
    "70 raters × 80 + 10, uneven": Tellers(70, (80, 10), (16, 4), (0.35, 0.8), rater=1.5, uneven=True),
    "30 raters × 40 + 40, rater SD 2, uneven": Tellers(30, (40, 40), (10, 10), (0.4, 0.7), rater=2.0, uneven=True),
    "15 raters × 60 + 30, very uneven": Tellers(15, (60, 30), (20, 10), (0.5, 0.85), rater=1.5, uneven=True),
    "40 raters × 12 + 36, uneven, d′ 2": Tellers(40, (12, 36), (3, 9), (0.15, 0.83), clip=1.2, uneven=True),
    "no difference, 45 raters × 20 + 20": Tellers(45, (20, 20), (7, 7), (0.6, 0.6)),
    "d′ 3.3, 45 raters × 25 + 25": Tellers(45, (25, 25), (9, 9), (0.06, 0.96)),
    "d′ 4.2, 90 raters × 30 + 30": Tellers(90, (30, 30), (10, 10), (0.02, 0.985)),
    "d′ 4.2, 18 raters × 12 + 12, 4 each": Tellers(18, (12, 12), (4, 4), (0.02, 0.985)),
    "humans .99, systems .4, 35 raters × 40 + 10": Tellers(35, (40, 10), (12, 5), (0.4, 0.99)),
    "the paper's size: 857 raters × 400 + 400": Tellers(857, (400, 400), (12, 12), (0.3, 0.75), rater=1.8, uneven=True),
}


def cover(name: str, crowd: Tellers, studies: int, seed: int) -> None:
    """Print the share of intervals that hold the truth, their mean widths, and how many studies had none."""
    truth = np.array(crowd.truth())
    held, widths = [], []
    began = time.monotonic()
    for number in range(studies):
        drawn = crowd.study(np.random.default_rng([seed, number]))
        found = detect(drawn.scores, drawn.human, drawn.rater, drawn.clip, high=1.0)
        if found is None or found.d_prime_interval is None or found.auc_interval is None:
            continue
        ends = np.array([found.d_prime_interval, found.auc_interval])
        held.append((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
        widths.append(ends[:, 1] - ends[:, 0])
    shares, error = np.mean(held, axis=0), np.sqrt(0.95 * 0.05 / len(held))
    wide = np.mean(widths, axis=0)
    say(
        f"| {name} | {truth[0]:.2f} | {shares[0]:.3f} | {wide[0]:.2f} | {truth[1]:.3f} | {shares[1]:.3f} | "
        f"{wide[1]:.3f} | {studies - len(held)} |  ± {error:.3f}, {time.monotonic() - began:.0f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--crowd", action="append", choices=list(CROWDS), help="default: all")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    say("| study | d′ | holds | width | AUC | holds | width | none |")
    for name in asked.crowd or CROWDS:
        cover(name, CROWDS[name], asked.studies, asked.seed)


if __name__ == "__main__":
    main()
