"""Is an answer as quick in a huge study? One rater, small and large study in turn: `python -m tests.bench.flat`.

Two databases, each with a web server of its own: 100 clips and nothing else, against 100,000 clips, 1,000,000 answers
of others and 200 earlier answers of the rater. Their sessions alternate, so that whatever else the machine does hits
both alike; what is compared is the ratio.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.figures import percentile, spread
from tests.bench.stage import Stage, busy_seconds, others, say, staged, stamp
from tests.bench.wire import Rater, Tally

PARTS = (("cycle", 1), ("played", 2), ("answer", 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="URL; _small and _large are added to the name")
    parser.add_argument("--sessions", type=int, default=40, help="of each size; the first fifth is warm-up")
    parser.add_argument("--clips", type=int, default=100_000)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--earlier", type=int, default=200)
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        staged(f"{asked.database}_small", Path(folder) / "small") as small,
        staged(f"{asked.database}_large", Path(folder) / "large") as large,
    ):
        stages = {"small": small, "large": large}
        try:
            compare(stages, asked)
        finally:
            for stage in stages.values():
                stage.processes.close()
                stage.drop()


def compare(stages: dict[str, Stage], asked: argparse.Namespace) -> None:
    """Seed both, let one rater after the other rate a session, small and large in turn."""
    sizes = {"small": ["--clips=100"], "large": [f"--clips={asked.clips}", f"--answers={asked.answers}"]}
    people = {"small": [], "large": [f"--earlier={asked.earlier}"]}
    made: dict[str, Any] = {}
    for name, stage in stages.items():
        began = time.monotonic()
        stage.create()
        made[name] = stage.tool("seeding", *sizes[name], *people[name], f"--people={asked.sessions}")
        stage.serve(worker=False)
        say(f"{stamp()}: {name} is ready after {time.monotonic() - began:.0f} s")
    tallies = {name: Tally() for name in stages}
    warm = asked.sessions // 5
    busy, began, used = busy_seconds(), time.monotonic(), -cpu(stages)
    for number in range(asked.sessions):
        # Neither is always the first.
        for name in sorted(stages, reverse=number % 2 == 1):
            rater = Rater("127.0.0.1", stages[name].port, made[name]["slug"])
            rater.rate_session(made[name]["cookies"][number], time.monotonic() + 600)
            merge(tallies[name], rater.tally, measured=number >= warm)
    used += cpu(stages)
    say(f"load {os.getloadavg()[0]:.1f}; {others(used + time.process_time(), time.monotonic() - began, busy)}")
    tell(tallies)
    for name, stage in stages.items():
        say(f"{name}:")
        for what, value in stage.tool("counting", given=tallies[name].acknowledged).items():
            say(f"  {what}: {value}")


def cpu(stages: dict[str, Stage]) -> float:
    """Return what both stages have used so far, in CPU seconds."""
    return sum(sum(stage.cpu().values()) for stage in stages.values())


def merge(into: Tally, tally: Tally, *, measured: bool) -> None:
    """Add a session; times count only when measured, acknowledged answers always."""
    into.acknowledged += tally.acknowledged
    into.statuses += tally.statuses
    if measured:
        into.cycles += tally.cycles
        into.pages += tally.pages


def tell(tallies: dict[str, Tally]) -> None:
    """Print both, and the large one's times as multiples of the small one's."""
    small, large = tallies["small"], tallies["large"]
    for name, tally in tallies.items():
        say(f"{name}: statuses {dict(sorted(tally.statuses.items()))}")
    for part, column in PARTS:
        times = {name: [cycle[column] for cycle in tally.cycles] for name, tally in tallies.items()}
        compare_times(part, times["small"], times["large"])
    # Every tenth answer claims the next batch, so that the 95th percentile of all cycles is one of these.
    claims = [[c[3] for c in sorted(tally.cycles)] for tally in (small, large)]
    compare_times("answer that opens a batch", *(slowest_tenth(times) for times in claims))
    compare_times("trial page", [took for _, took in small.pages], [took for _, took in large.pages])


def slowest_tenth(times: list[float]) -> list[float]:
    return sorted(times)[-max(1, len(times) // 10) :]


def compare_times(what: str, small: list[float], large: list[float]) -> None:
    """Print one row of the comparison."""
    ratios = [percentile(large, share) / percentile(small, share) for share in (0.5, 0.95)]
    say(f"{what}: small {spread(small)}; large {spread(large)}")
    say(f"  large / small: median {ratios[0]:.2f}, p95 {ratios[1]:.2f}")


if __name__ == "__main__":
    main()
