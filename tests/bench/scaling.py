"""What to add for how many raters, by simulation: `python -m tests.bench.scaling` (docs/scaling.md).

Answers arrive at random. Each is three requests to web processes (clip, *played*, answer), and each of these waits for
a core of a web host, then for a core of the database; the answer's commit waits for the disk, which one write at a time
shares among all commits that are waiting (group commit). Service times are those of docs/benchmarks.md, exponential.
"""

from __future__ import annotations

import argparse
import heapq
import random
from dataclasses import dataclass
from itertools import count

from tests.bench.figures import percentile
from tests.bench.stage import say

REQUESTS = 3
# A load at which queues are still short, and beyond which they grow quickly.
BUSY = 0.7


@dataclass(frozen=True)
class Cost:
    """Of a cycle: milliseconds of CPU, and of one write of the log to the disk."""

    web: float
    worker: float
    database: float
    disk: float


@dataclass(frozen=True)
class Plant:
    """What there is: cores of web hosts, of workers and of each database, and how many databases."""

    web: int
    worker: int
    database: int
    databases: int = 1


class Station:
    """Some servers with one queue, first come, first served."""

    def __init__(self, servers: int) -> None:
        self.free = [0.0] * servers
        self.busy = 0.0

    def serve(self, at: float, seconds: float) -> float:
        """Return when somebody who comes `at` and needs so long is done."""
        done = max(at, heapq.heappop(self.free)) + seconds
        heapq.heappush(self.free, done)
        self.busy += seconds
        return done


class Disk:
    """Writes one after the other; a write takes along all commits that came before it began."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.begins, self.ends = seconds, 0.0, 0.0

    def commit(self, at: float) -> float:
        """Return when a commit that comes `at` is on the disk."""
        if at > self.begins:
            self.begins = max(at, self.ends)
            self.ends = self.begins + self.seconds
        return self.ends


def simulate(rate: float, cost: Cost, plant: Plant, *, seconds: float, seed: int = 1) -> tuple[list[float], dict]:
    """Return the seconds that each answer's request took, and the busy share of each part."""
    rng = random.Random(seed)
    web = Station(plant.web)
    databases = [(Station(plant.database), Disk(cost.disk / 1000)) for _ in range(plant.databases)]
    order, took = count(), []
    # (when, order, when it came, requests left, database)
    events: list[tuple[float, int, float, int, int]] = []
    at = 0.0
    while (at := at + rng.expovariate(rate)) < seconds:
        heapq.heappush(events, (at, next(order), at, REQUESTS, rng.randrange(plant.databases)))
    while events:
        now, _, came, left, which = heapq.heappop(events)
        cores, disk = databases[which]
        at = web.serve(now, rng.expovariate(1000 * REQUESTS / cost.web))
        at = cores.serve(at, rng.expovariate(1000 * REQUESTS / cost.database))
        if left > 1:
            # A clip plays between its requests; how long does not matter to the load.
            later = at + rng.uniform(0.5, 1.5)
            heapq.heappush(events, (later, next(order), later, left - 1, which))
        else:
            took.append(disk.commit(at) - came)
    span = seconds + 2
    load = {
        "web": web.busy / plant.web / span,
        "database": max(cores.busy for cores, _ in databases) / plant.database / span,
        "worker": rate * cost.worker / 1000 / plant.worker,
    }
    return took, load


def most(cost: Cost, plant: Plant) -> tuple[float, str]:
    """Return how many answers a second keep every part at most `BUSY`, and the part that is busy first."""
    limits = {
        "web": plant.web / cost.web,
        "worker": plant.worker / cost.worker,
        "database": plant.database * plant.databases / cost.database,
    }
    part = min(limits, key=lambda name: limits[name])
    return 1000 * BUSY * limits[part], part


STEPS = (
    ("one host of 2 cores for everything", Plant(web=1, worker=1, database=1)),
    ("a host of 8 cores for everything", Plant(web=5, worker=1, database=2)),
    ("web and workers on hosts of their own: 16 + 2 cores; database 8", Plant(web=16, worker=2, database=8)),
    ("four web hosts of 8 cores, 4 cores of workers; database 16", Plant(web=32, worker=4, database=16)),
    ("eight web hosts of 8 cores, 8 cores of workers; database 32", Plant(web=64, worker=8, database=32)),
    ("the same twice, studies shared among them", Plant(web=128, worker=16, database=32, databases=2)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--web", type=float, required=True, help="CPU ms a cycle, as tests.bench.cycle prints them")
    parser.add_argument("--worker", type=float, required=True)
    parser.add_argument("--database", type=float, required=True)
    parser.add_argument("--disk", type=float, default=2.0, help="ms of one write of the log to the disk")
    parser.add_argument("--pace", type=float, default=20.0, help="seconds between two answers of a rater")
    parser.add_argument("--seconds", type=float, default=20.0, help="to simulate")
    asked = parser.parse_args()
    cost = Cost(asked.web, asked.worker, asked.database, asked.disk)
    say("| what there is | answers/s | raters at once | busy first | median ms | p95 ms | web | database |")
    say("|---|---|---|---|---|---|---|---|")
    for name, plant in STEPS:
        rate, part = most(cost, plant)
        took, load = simulate(rate, cost, plant, seconds=max(2.0, min(asked.seconds, 100_000 / rate)))
        raters = round(rate * asked.pace, -2)
        times = f"{1000 * percentile(took, 0.5):.0f} | {1000 * percentile(took, 0.95):.0f}"
        say(f"| {name} | {rate:,.0f} | {raters:,.0f} | {part} | {times} | {load['web']:.2f} | {load['database']:.2f} |")


if __name__ == "__main__":
    main()
