"""Do a study's pages and jobs cost the same in a huge study? `python -m tests.bench.experts` (see docs/benchmarks.md).

Two databases, one with few answers and one with many; in both, the same share of the experts' queues is decided.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import fmean, median
from typing import Any

from tests.bench.stage import Stage, say, staged, stamp


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="URL; _small and _large are added to the name")
    parser.add_argument("--few", type=int, default=1_000)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--few-clips", type=int, default=100)
    parser.add_argument("--clips", type=int, default=100_000)
    parser.add_argument("--decided", type=float, default=0.1, help="share of each queue, before anything is measured")
    parser.add_argument("--rounds", type=int, default=10, help="how often each page is opened")
    parser.add_argument(
        "--only", default="", help="a part of a page's name, `desks`, `figures`, `analysis` or `comparison`"
    )
    parser.add_argument("--keep", type=Path, help="folder for files: use its databases again, and leave them")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as scratch,
        staged(f"{asked.database}_small", (asked.keep or Path(scratch)) / "small") as small,
        staged(f"{asked.database}_large", (asked.keep or Path(scratch)) / "large") as large,
    ):
        try:
            few = measure(small, asked, asked.few_clips, asked.few)
            many = measure(large, asked, asked.clips, asked.answers)
        finally:
            for stage in (small, large):
                if asked.keep is None:
                    stage.drop()
    say(
        f"load {os.getloadavg()[0]:.1f}; "
        "CPU ms, of this in the database, wall ms, queries, MB at the peak: small | large; large / small"
    )
    ratio = {name: cpu(many["took"][name]) / max(cpu(took), 0.001) for name, took in few["took"].items()}
    for name in sorted(ratio, key=lambda name: -ratio[name]):
        say(f"{name}: {row(few['took'][name])} | {row(many['took'][name])}; {ratio[name]:.1f}")
    for name in many["took"].keys() - few["took"].keys():
        say(f"{name}: – | {row(many['took'][name])}")
    for name, why in many["unopened"].items():
        say(f"not opened: {name} {why}")


def measure(stage: Stage, asked: argparse.Namespace, clips: int, answers: int) -> dict[str, Any]:
    """Seed one study, and return what its pages took."""
    began = time.monotonic()
    ready = stage.processes.folder / "ready"
    if asked.keep is None or not ready.exists():
        stage.create()
        stage.tool("seeding", f"--clips={clips}", f"--answers={answers}", "--people=0")
        ready.touch()
    else:
        stage.processes.manage("migrate", "--noinput", "--verbosity=0")
    stage.processes.manage("collectstatic", "--noinput", "--verbosity=0")
    decided = f"--decided={round(asked.decided * answers * 0.7)}"
    found: dict[str, Any] = stage.tool("desks", decided, f"--rounds={asked.rounds}", f"--only={asked.only}")
    say(f"{stamp()}: {answers} answers after {time.monotonic() - began:.0f} s")
    return found


def cpu(took: dict[str, Any]) -> float:
    """Return the median CPU milliseconds here, with the mean of the database's, which come in ticks."""
    return 1000 * (median(took["cpu"]) + fmean(took["database"]))


def row(took: dict[str, Any]) -> str:
    database, wall = 1000 * fmean(took["database"]), 1000 * median(took["wall"])
    return f"{cpu(took):.0f}, {database:.0f}, {wall:.0f}, {took['queries']}, {max(took['memory']) / 1e6:.0f}"


if __name__ == "__main__":
    main()
