"""How many answers a second, and how soon: `python -m tests.bench.http --database URL` (see docs/benchmarks.md)."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.figures import spread
from tests.bench.stage import Stage, busy_seconds, others, say, staged, stamp

# More sessions than anybody can rate: this many cycles a second, all raters together.
MOST = 1200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="URL; the database is dropped and made afresh")
    parser.add_argument("--raters", type=int, default=8)
    parser.add_argument("--think", type=float, default=0.0, help="seconds between two cycles")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--warm-up", type=float, default=3.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--clips", type=int, default=100)
    parser.add_argument("--answers", type=int, default=0, help="earlier answers of others")
    parser.add_argument("--duration", type=float, default=3.0, help="of a clip, in seconds")
    parser.add_argument("--audio", action="store_true", help="each clip's bytes are fetched, too")
    parser.add_argument(
        "--arrival", action="store_true", help="raters arrive by a link and agree; else sessions are ready"
    )
    parser.add_argument("--enforce", action="store_true", help="early answers are refused, and sent again in time")
    parser.add_argument("--worker", action="store_true", help="a worker validates full batches meanwhile")
    parser.add_argument("--proxy", action="store_true", help="nginx in front")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, staged(asked.database, Path(folder)) as stage:
        stage.create()
        try:
            measure(stage, asked)
        finally:
            stage.processes.close()
            stage.drop()


def measure(stage: Stage, asked: argparse.Namespace) -> None:
    """Seed, serve, and let the raters loose as often as asked; the rows are counted after every run."""
    playback = "enforce" if asked.enforce else "record"
    size = [f"--clips={asked.clips}", f"--answers={asked.answers}", f"--duration={asked.duration}"]
    say(f"{stamp()}: {asked.clips} clips, {asked.answers} earlier answers, playback {playback}")
    pace = 30 / max(30 / MOST * asked.raters, 30 * asked.think + 0.01)
    each = int(pace * (asked.seconds + asked.warm_up) / 30) + 2
    stage.tool("seeding", *size, f"--playback={playback}", "--people=0")
    stage.serve(worker=asked.worker, proxy=asked.proxy)
    # Every thread of every process has its connection, its templates and its statements before anything counts.
    heat = stage.tool("seeding", "--people=160")
    task = {"port": stage.port, "slug": heat["slug"], "sessions": [heat["cookies"][i::16] for i in range(16)]}
    task |= {"seconds": 4.0, "warm_up": 0.0, "think": 0.0, "audio": asked.audio or asked.enforce}
    acknowledged: list[str] = stage.tool("crowd", given=task)["acknowledged"]
    for number in range(asked.runs):
        people = each * asked.raters
        made = stage.tool("seeding", f"--people={0 if asked.arrival else people}")
        sessions = made["cookies"] or [f"{number}-{person}" for person in range(people)]
        task = {
            "port": stage.port,
            "slug": made["slug"],
            "sessions": [sessions[i * each : (i + 1) * each] for i in range(asked.raters)],
            "arrival": asked.arrival,
            "seconds": asked.seconds,
            "warm_up": asked.warm_up,
            "think": asked.think,
            "audio": asked.audio or asked.enforce,
        }
        cpu, busy, began = stage.cpu(), busy_seconds(), time.monotonic()
        seen = stage.tool("crowd", given=task)
        took = time.monotonic() - began
        used = {name: after - cpu.get(name, 0.0) for name, after in stage.cpu().items()}
        acknowledged += seen["acknowledged"]
        say(f"\nrun {number + 1}: {asked.raters} raters, {asked.think:g} s think time, load {os.getloadavg()[0]:.1f}")
        tell(seen, used, asked)
        say(f"  {others(sum(used.values()) + seen['cpu'], took, busy)}")
        assert not seen["dried_up"], "the raters ran out of sessions"
        for what, value in stage.tool("counting", given=acknowledged).items():
            say(f"  {what}: {value}")


def tell(seen: dict[str, Any], used: dict[str, float], asked: argparse.Namespace) -> None:
    """Print one run's figures."""
    cycles = seen["cycles"]
    everything = len(seen["acknowledged"])
    say(f"  {len(cycles) / seen['seconds']:.1f} cycles/s ({len(cycles)} in {seen['seconds']:.1f} s)")
    for what, column in (("cycle", 0), ("played", 1), ("answer", 2)):
        say(f"  {what}: {spread([cycle[column] for cycle in cycles])}")
    say(f"  trial page: {spread(seen['pages'])}")
    say(f"  statuses: {dict(sorted(seen['statuses'].items()))}")
    if seen["audio_bytes"]:
        say(f"  audio: {seen['audio_bytes'] / 1e6:.0f} MB")
    cost = {name: f"{1000 * seconds / everything:.2f}" for name, seconds in used.items()}
    cost["client"] = f"{1000 * seen['cpu'] / max(1, len(cycles)):.2f}"
    say(f"  CPU ms a cycle: {', '.join(f'{name} {value}' for name, value in cost.items())}")


if __name__ == "__main__":
    main()
