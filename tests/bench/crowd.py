"""The client's process, a thread a rater: its task comes as JSON, and so goes what it saw; standard library alone.

Raters work for some seconds, or, where the task names none, to the end of all their sessions. Then what is timed ends
when the first of them has nothing left to do, since fewer are at work from there on.
"""

from __future__ import annotations

import importlib.util
import json
import math
import resource
import sys
import threading
import time
from collections import Counter
from typing import Any

from tests.bench import otree_wire, wire


def client(task: dict[str, Any]) -> type[wire.Rater]:
    """Return who rates: oTree's participants, or raters as this or another checkout of Earshot knows them."""
    if task.get("client") == "otree":
        return otree_wire.Participant
    if (path := task.get("client")) is None:
        return wire.Rater
    spec = importlib.util.spec_from_file_location("other_wire", path)
    assert spec is not None
    assert spec.loader is not None
    other = importlib.util.module_from_spec(spec)
    sys.modules["other_wire"] = other
    spec.loader.exec_module(other)
    # It may count no bytes.
    other.Wire = wire.Wire
    return other.Rater


def run(task: dict[str, Any]) -> dict[str, Any]:
    """Let every rater work until the time is up; each finishes the cycle at hand."""
    kind = client(task)
    raters = [
        kind(
            "127.0.0.1", task["port"], task["slug"], audio=task["audio"], think=task["think"],
            patience=task.get("patience", 60.0),
        )
        for _ in task["sessions"]
    ]  # fmt: skip
    began = time.monotonic()
    is_timed = "seconds" in task
    until = began + task["warm_up"] + task["seconds"] if is_timed else math.inf
    dried_up: list[float] = []

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
        dried_up.append(time.monotonic())

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
    last = max([end for end, *_ in cycles], default=until) if is_timed or not dried_up else min(dried_up)
    return {
        "seconds": last - measured_from,
        "cycles": [times for end, *times in cycles if measured_from <= end <= last],
        "pages": [took for tally in tallies for end, took in tally.pages if measured_from <= end <= last],
        "statuses": sum((tally.statuses for tally in tallies), Counter()),
        "acknowledged": [key for tally in tallies for key in tally.acknowledged],
        "audio_bytes": sum(tally.audio_bytes for tally in tallies),
        "bytes": sum(connection.carried for connection in wire.Wire.opened),
        "dried_up": len(dried_up),
        "cpu": used.ru_utime + used.ru_stime - used_before.ru_utime - used_before.ru_stime,
    }


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
