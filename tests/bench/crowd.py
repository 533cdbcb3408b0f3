"""The client's process, a thread a rater: its task comes as JSON, and so goes what it saw; standard library alone."""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from collections import Counter
from typing import Any

from tests.bench.wire import Rater


def run(task: dict[str, Any]) -> dict[str, Any]:
    """Let every rater work until the time is up; each finishes the cycle at hand."""
    raters = [
        Rater(
            "127.0.0.1", task["port"], task["slug"], audio=task["audio"], think=task["think"],
            patience=task.get("patience", 60.0),
        )
        for _ in task["sessions"]
    ]  # fmt: skip
    began = time.monotonic()
    until = began + task["warm_up"] + task["seconds"]
    dried_up: list[int] = []

    def work(number: int) -> None:
        rater, sessions = raters[number], task["sessions"][number]
        start = rater.arrive_and_rate if task.get("arrival") else rater.rate_session
        # Nobody thinks in step with everybody else.
        time.sleep(task["think"] * number / len(raters))
        for session in sessions:
            try:
                if not start(session, until):
                    return
            except OSError:
                rater.tally.statuses["no answer in time"] += 1
                return
        dried_up.append(number)

    threads = [threading.Thread(target=work, args=[number]) for number in range(len(raters))]
    for thread in threads:
        thread.start()
    time.sleep(task["warm_up"])
    used_before = resource.getrusage(resource.RUSAGE_SELF)
    for thread in threads:
        thread.join()
    used = resource.getrusage(resource.RUSAGE_SELF)
    measured_from = began + task["warm_up"]
    tallies = [rater.tally for rater in raters]
    cycles = [cycle for tally in tallies for cycle in tally.cycles]
    return {
        "seconds": max([end for end, *_ in cycles], default=until) - measured_from,
        "cycles": [times for end, *times in cycles if end >= measured_from],
        "pages": [took for tally in tallies for end, took in tally.pages if end >= measured_from],
        "statuses": sum((tally.statuses for tally in tallies), Counter()),
        "acknowledged": [key for tally in tallies for key in tally.acknowledged],
        "audio_bytes": sum(tally.audio_bytes for tally in tallies),
        "dried_up": len(dried_up),
        "cpu": used.ru_utime + used.ru_stime - used_before.ru_utime - used_before.ru_stime,
    }


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
