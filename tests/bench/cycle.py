"""What a true cycle costs: `python -m tests.bench.cycle --database URL [--peer [PYTHON]] [--before CHECKOUT]`.

Raters arrive by a link, agree, read, fetch each clip's bytes, and answer to their session's end; worker and beat run.
Beside it, in turn: another checkout of Earshot, and the same test in oTree (docs/benchmarks.md).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench import spending
from tests.bench.figures import percentile, spread
from tests.bench.otree_stage import VERSION, OTreeStage, python_with_otree
from tests.bench.stage import Stage, busy_seconds, others, say, stamp
from tests.servers import ROOT, until

# Of a session, here and at oTree.
TRIALS = 30
# Full batches that no worker has decided yet.
WAITING = "SELECT count(*) FROM raters_batch WHERE state NOT IN ('open', 'expired', 'done')"


@dataclass
class Side:
    """One of those that are compared, and what its runs found: numbers by their names."""

    name: str
    stage: Stage
    # What the client needs to know: its kind, and a study's address.
    task: dict[str, Any] = field(default_factory=dict)
    acknowledged: list[str] = field(default_factory=list)
    runs: list[dict[str, float]] = field(default_factory=list)
    # nginx in front.
    proxy: bool = False

    def prepare(self, asked: argparse.Namespace) -> None:
        """Make the database and what is asked in it."""
        self.stage.create()
        if not isinstance(self.stage, OTreeStage):
            size = (f"--clips={asked.clips}", f"--duration={asked.duration}", "--playback=record", "--people=0")
            self.task["slug"] = self.stage.tool("seeding", *size)["slug"]

    def begin(self, people: int) -> None:
        """Start the processes; everybody's place is made beforehand where there are such places."""
        if isinstance(self.stage, OTreeStage):
            self.task["slug"] = self.stage.invite(people)
        with self.stage.connect(self.stage.name) as connection:
            connection.execute("VACUUM ANALYZE")
            connection.execute("CHECKPOINT")
        self.stage.serve(worker=True, **({"proxy": True} if self.proxy else {}))

    def rate(self, raters: int, sessions: int, label: str) -> dict[str, Any]:
        """Let so many raters finish so many sessions each, and the worker what they left it."""
        names = [[f"{label}-{rater}-{number}" for number in range(sessions)] for rater in range(raters)]
        task = {"port": self.stage.port, "sessions": names, "arrival": True, "audio": True, "think": 0.0}
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.crowd"], cwd=ROOT, text=True, capture_output=True, check=False,
            input=json.dumps({**task, "warm_up": 0.0, **self.task}),
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{self.name}: the client failed:\n{done.stderr}")
        seen: dict[str, Any] = json.loads(done.stdout)
        self.acknowledged += seen["acknowledged"]
        if len(seen["acknowledged"]) != raters * sessions * TRIALS:
            raise SystemExit(f"{self.name}: some did not come to the end: {seen['statuses']}\n{done.stderr}")
        if not isinstance(self.stage, OTreeStage):
            with self.stage.connect(self.stage.name) as connection:
                until(lambda: connection.execute(WAITING).fetchone() == (0,), "batches wait for the worker")
        return seen

    def count(self) -> dict[str, Any]:
        if isinstance(self.stage, OTreeStage):
            return self.stage.count(self.acknowledged)
        found: dict[str, Any] = self.stage.tool("counting", given=self.acknowledged)
        return found

    def spent(self) -> dict[str, float]:
        """Return CPU seconds so far of every part but the client."""
        used = self.stage.cpu()
        del used["database"]
        with self.stage.connect("postgres") as connection:
            parts = spending.processor(connection, self.stage.name)
        return used | {f"database, {part}": seconds for part, seconds in parts.items()}

    def done(self) -> dict[str, float]:
        with self.stage.connect("postgres") as connection:
            return spending.work(connection, self.stage.name)

    def measure(self, number: int, asked: argparse.Namespace) -> None:
        """Start this side alone, warm it up, let raters finish their sessions, count the rows, and stop it."""
        # Every thread of every process has its connection, its templates and its statements before anything counts.
        warm = 2 * asked.raters
        self.begin(warm + asked.raters * asked.sessions)
        try:
            self.rate(warm, 1, f"warm{number}")
            time.sleep(asked.settle)
            work, spent, busy, began = self.done(), self.spent(), busy_seconds(), time.monotonic()
            seen = self.rate(asked.raters, asked.sessions, f"run{number}")
            took, after = time.monotonic() - began, self.spent()
        finally:
            self.stage.stop()
        with self.stage.connect("postgres") as connection:
            if strangers := spending.strangers(connection, self.stage.name):
                say(f"\nThe database's figures are of {strangers}, too: they used this PostgreSQL meanwhile.")
            connected = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s"
            until(lambda: connection.execute(connected, [self.stage.name]).fetchone() == (0,), "still connected")
        used = {part: seconds - spent.get(part, 0.0) for part, seconds in after.items()}
        found = figures(seen, used, {what: value - work[what] for what, value in self.done().items()})
        self.runs.append(found)
        say(f"\n{self.name}, run {number + 1}: {asked.raters} raters, {asked.sessions} sessions each")
        tell(found, seen)
        say(f"  {others(sum(used.values()) + seen['cpu'], took, busy)}, load {os.getloadavg()[0]:.1f}")
        rows = self.count()
        say(f"  rows of all runs: {', '.join(f'{what}: {value}' for what, value in rows.items())}")
        if rows["lost"] or rows["doubled"]:
            raise SystemExit(f"{self.name}: answers were lost or doubled.")


def figures(seen: dict[str, Any], used: dict[str, float], work: dict[str, float]) -> dict[str, float]:
    """Return what a cycle costs, by names: CPU in milliseconds, with sums of the database and of everything served."""
    everything = len(seen["acknowledged"])
    cost = {part: 1000 * seconds / everything for part, seconds in used.items()}
    database = sum(value for part, value in cost.items() if part.startswith("database"))
    own = {part: value for part, value in cost.items() if not part.startswith("database")}
    waits = [whole for whole, *_ in seen["cycles"]]
    return {
        "cycles a second": len(seen["cycles"]) / seen["seconds"],
        "ms to the next trial, median": 1000 * percentile(waits, 0.5),
        "ms to the next trial, p95": 1000 * percentile(waits, 0.95),
        "CPU ms": sum(cost.values()),
        **{f"CPU ms, {part}": value for part, value in own.items()},
        "CPU ms, database": database,
        **{f"CPU ms, {part}": value for part, value in cost.items() if part not in own},
        "CPU ms of the client": 1000 * seen["cpu"] / everything,
        **{what: value / everything for what, value in work.items()},
        "kB of HTTP": seen["bytes"] / 1000 / everything,
    }


def tell(found: dict[str, float], seen: dict[str, Any]) -> None:
    """Print one run's figures."""
    say(f"  {len(seen['acknowledged'])} cycles, {found['cycles a second']:.1f} a second")
    cpu = {what.removeprefix("CPU ms, "): value for what, value in found.items() if what.startswith("CPU ms")}
    say(f"  a cycle: {', '.join(f'{what} {value:.2f}' for what, value in cpu.items())}")
    work = list(found)[list(found).index("CPU ms of the client") + 1 :]
    say(f"  a cycle: {', '.join(f'{what} {found[what]:.2f}' for what in work)}")
    # Ours are played and the answer, whose response is the next trial; oTree's the form and the page it leads to.
    for what, column in (("to the next trial", 0), ("first of its two requests", 1), ("second", 2)):
        say(f"  {what}: {spread([cycle[column] for cycle in seen['cycles']])}")
    say(f"  first trial page: {spread(seen['pages'])}")
    say(f"  statuses: {dict(sorted(seen['statuses'].items()))}")


def compare(sides: Sequence[Side]) -> None:
    """Print all runs as a table, and each other side's CPU a cycle by ours, run by run."""
    say(f"\n| a cycle, medians (least–most) of {len(sides[0].runs)} runs | {' | '.join(side.name for side in sides)} |")
    say(f"|---|{'---|' * len(sides)}")
    for what in dict.fromkeys(name for side in sides for run in side.runs for name in run):
        cells = [words([run[what] for run in side.runs if what in run]) for side in sides]
        say(f"| {what} | {' | '.join(cells)} |")
    ours, *rest = sides
    for side in rest:
        ratios = [theirs["CPU ms"] / own["CPU ms"] for own, theirs in zip(ours.runs, side.runs, strict=True)]
        say(f"\nCPU a cycle, {side.name} / {ours.name}: {words(ratios)}")


def words(values: Sequence[float]) -> str:
    """Return the median, with least and most where they differ."""
    if not values:
        return "–"
    digits = 0 if max(values) >= 100 else 1 if max(values) >= 10 else 2
    least, middle, most = (f"{value:.{digits}f}" for value in (min(values), median(values), max(values)))
    return middle if least == most else f"{middle} ({least}–{most})"


def interpreter_of(checkout: Path) -> str:
    return str(checkout / ".venv" / "bin" / "python")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="URL; databases of this name are dropped and made afresh")
    parser.add_argument("--peer", nargs="?", const="", metavar="PYTHON", help=f"also oTree {VERSION}: its Python")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="also another checkout, with its .venv")
    parser.add_argument("--proxy", action="store_true", help="also behind nginx, whose CPU counts")
    parser.add_argument("--runs", type=int, default=3, help="of each side, in turn")
    parser.add_argument("--raters", type=int, default=8)
    parser.add_argument("--sessions", type=int, default=3, help="that each rater finishes in a run")
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--duration", type=float, default=3.0, help="of a clip, in seconds")
    parser.add_argument("--settle", type=float, default=10.5, help="seconds until PostgreSQL has counted the warm-up")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = [Side("Earshot", Stage(asked.database, folder / "now"))]
        if asked.before:
            root = asked.before.resolve()
            other = Stage(f"{asked.database}_before", folder / "before", root=root, interpreter=interpreter_of(root))
            sides.append(Side("before", other, {"client": str(root / "tests/bench/wire.py")}))
        if asked.proxy:
            stage = Stage(f"{asked.database}_proxy", folder / "proxy")
            sides.append(Side("behind nginx", stage, proxy=True))
        if asked.peer is not None:
            python = asked.peer or python_with_otree(folder / "otree-venv")
            otree = OTreeStage(f"{asked.database}_otree", folder / "otree", interpreter=python, seconds=asked.duration)
            sides.append(Side(f"oTree {VERSION}", otree, {"client": "otree"}))
        try:
            for side in sides:
                side.prepare(asked)
            say(f"{stamp()}: {', '.join(side.name for side in sides)}; clips of {asked.duration:g} s")
            for number in range(asked.runs):
                for side in sides:
                    side.measure(number, asked)
            compare(sides)
        finally:
            for side in sides:
                side.stage.processes.close()
                side.stage.drop()


if __name__ == "__main__":
    main()
