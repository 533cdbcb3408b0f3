"""What an import costs: `python -m tests.bench.imports`, by hand; needs neither a database nor the network.

300 clips of two seconds, decoded as an import does, and a manifest of 100,000 rows, checked as if so many
were allowed.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import soundfile

from studies.imports.ingest import manifest
from studies.imports.ingest.archive import Folder
from studies.imports.ingest.facts import Target
from studies.imports.ingest.staging import stage
from tests.bench.stage import say, stamp

RATE = 24_000
HEADER = "file,system,role,voice,text_id,text"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=300)
    parser.add_argument("--rows", type=int, default=100_000)
    asked = parser.parse_args()
    if asked.clips:
        say(f"{stamp()} {asked.clips} clips: {json.dumps(decoded(asked.clips))}")
    if asked.rows:
        say(f"{stamp()} {asked.rows} rows: {json.dumps(checked(asked.rows))}")


def decoded(clips: int) -> dict[str, Any]:
    """Decode noise with the rhythm of syllables, another one for each clip."""
    with tempfile.TemporaryDirectory(prefix="earshot-bench-") as name:
        folder = Path(name)
        for number in range(clips):
            beat = 0.5 + 0.5 * np.sin(np.arange(2 * RATE) / RATE * 2 * np.pi * 4)
            noise = np.random.default_rng(number).normal(0, 0.1, 2 * RATE)
            soundfile.write(folder / f"{number}.wav", (noise * beat).astype(np.float32), RATE, subtype="PCM_16")
        rows = [manifest.ManifestRow(number + 2, f"{number}.wav", "alpha", "test") for number in range(clips)]
        (folder / "scratch").mkdir()
        began, used = time.perf_counter(), cpu()
        staged, problems = stage(Folder(folder), rows, Target(), folder / "scratch", lambda done, total: None)
        assert (len(staged), problems) == (clips, [])
        return {
            "seconds": round(time.perf_counter() - began, 2),
            "cpu_ms_a_clip": round((cpu() - used) / clips * 1000, 1),
        }


def checked(rows: int) -> dict[str, Any]:
    """Read a manifest of texts of 100 characters."""
    letters, rng = "abcdefghijklmnopqrstuvwxyz    ", Random(1)
    lines = [
        f"system-{n % 5}/clip-{n}.wav,system-{n % 5},test,voice-{n % 3},text-{n // 5},"
        + "".join(Random(n // 5).choices(letters, k=100))
        for n in range(rows)
    ]
    rng.shuffle(lines)
    content = "\n".join([HEADER, *lines]).encode()
    before = memory()
    began, used = time.perf_counter(), cpu()
    read = manifest.read(content)
    assert (len(read.rows), read.problems) == (rows, ())
    return {
        "seconds": round(time.perf_counter() - began, 2),
        "cpu_seconds": round(cpu() - used, 2),
        "bytes": len(content),
        "memory_mb": round((memory() - before) / 1e6),
    }


def cpu() -> float:
    """Return the processor seconds of this process and of the children that it has waited for."""
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in each)


def memory() -> int:
    """Return the most resident bytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
