"""Do slow clients stop raters? `python -m tests.bench.slow --database URL` (see docs/benchmarks.md).

Raters rate for some seconds alone, and as long beside clients that send a byte now and then or read a clip at 15 KB/s.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.figures import spread
from tests.bench.stage import Stage, say, staged, stamp


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="URL; the database is dropped and made afresh")
    parser.add_argument("--senders", type=int, default=200, help="half of them of headers, half of bodies")
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--think", type=float, default=0.5, help="seconds between two cycles")
    parser.add_argument("--seconds", type=float, default=10.0)
    # Longer than what operating systems hold for a client that does not read.
    parser.add_argument("--duration", type=float, default=120.0, help="of a clip, in seconds")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, staged(asked.database, Path(folder)) as stage:
        stage.create()
        try:
            measure(stage, asked)
        finally:
            stage.processes.close()
            stage.drop()


def measure(stage: Stage, asked: argparse.Namespace) -> None:
    stage.tool("seeding", "--clips=100", f"--duration={asked.duration}", "--people=0")
    stage.serve(worker=False)
    say(f"{stamp()}: {asked.raters} raters with {asked.think:g} s of think time, for {asked.seconds:g} s")
    rate(stage, asked, "warming up")
    rate(stage, asked, "alone")
    made = stage.tool("seeding", f"--people={asked.readers}")
    task = {"port": stage.port, "slug": made["slug"], "cookies": made["cookies"], "senders": asked.senders}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.trickle"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=stage.processes.environment,
    ) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(task | {"seconds": asked.seconds + 15}) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "there\n"
        rate(stage, asked, f"beside {asked.senders} slow senders and {asked.readers} slow readers")
        say(f"  slow clients: {json.loads(process.stdout.read())}")


def rate(stage: Stage, asked: argparse.Namespace, when: str) -> None:
    """Let the raters rate, and print what they got done."""
    each = int(asked.seconds / 30 / max(asked.think, 0.01)) + 2
    made = stage.tool("seeding", f"--people={each * asked.raters}")
    sessions = [made["cookies"][each * number : each * (number + 1)] for number in range(asked.raters)]
    task: dict[str, Any] = {"port": stage.port, "slug": made["slug"], "sessions": sessions, "audio": False}
    task |= {"seconds": asked.seconds, "warm_up": 0.0, "think": asked.think, "patience": asked.seconds}
    before = stage.cpu()
    seen = stage.tool("crowd", given=task)
    used = stage.cpu()["web"] - before["web"]
    took = spread([cycle[0] for cycle in seen["cycles"]]) if seen["cycles"] else "none"
    say(f"{when}: {len(seen['acknowledged'])} answers; a cycle: {took}; web CPU {used:.1f} s")
    say(f"  statuses: {dict(sorted(seen['statuses'].items()))}")


if __name__ == "__main__":
    main()
