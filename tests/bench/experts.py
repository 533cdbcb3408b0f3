"""Do the pages of experts cost the same in a huge study? `python -m tests.bench.experts` (see docs/benchmarks.md).

Two databases with queues that are full: one of few answers, one of many; as much is decided in both.
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
    parser.add_argument("--decided", type=int, default=300, help="items of each queue, before anything is measured")
    parser.add_argument("--rounds", type=int, default=10, help="how often each page is opened")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        staged(f"{asked.database}_small", Path(folder) / "small") as small,
        staged(f"{asked.database}_large", Path(folder) / "large") as large,
    ):
        try:
            measured = [measure(small, asked, asked.few), measure(large, asked, asked.answers)]
        finally:
            for stage in (small, large):
                stage.drop()
    say(f"load {os.getloadavg()[0]:.1f}; medians; queries, CPU ms here, CPU ms in the database (mean), wall ms")
    for name in measured[0]:
        say(f"{name}: {' | '.join(row(each[name]) for each in measured)}")


def measure(stage: Stage, asked: argparse.Namespace, answers: int) -> dict[str, Any]:
    """Seed one study, and return what its pages took."""
    began = time.monotonic()
    stage.create()
    stage.processes.manage("collectstatic", "--noinput", "--verbosity=0")
    stage.tool("seeding", "--clips=100", f"--answers={answers}", "--people=0")
    found: dict[str, Any] = stage.tool("desks", f"--decided={asked.decided}", f"--rounds={asked.rounds}")
    say(f"{stamp()}: {answers} answers after {time.monotonic() - began:.0f} s")
    return found


def row(took: dict[str, Any]) -> str:
    here, wall = (1000 * median(took[part]) for part in ("cpu", "wall"))
    return f"{took['queries']} queries, {here:.0f}, {1000 * fmean(took['database']):.0f}, {wall:.0f}"


if __name__ == "__main__":
    main()
