"""Sandboxed decoding process: reads clips from standard input, writes samples to standard output.

Each message is a line of JSON followed by the number of bytes it states. The process has an empty environment and
limits its resources before reading; it has neither the model nor secrets.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict
from typing import Any

from judge.problems import ClipRefusal
from judge.schemas import ScoreQuery
from judge.server.audio import hear

MIB = 1024 * 1024
# Address space, and CPU seconds per clip; 30 s of two channels at 192 kHz take 46 MB per copy.
MEMORY, CPU_SECONDS = 2048 * MIB, 20
TOO_MUCH = "The clip needs more memory than one clip may have. Lower its sample rate, or shorten it."


def main() -> None:
    """Answer clips until the input ends."""
    # Keeps prints by libraries out of the answers.
    out, source = os.fdopen(os.dup(1), "wb"), sys.stdin.buffer
    os.dup2(2, 1)
    limit(resource.RLIMIT_AS, MEMORY)
    limit(resource.RLIMIT_FSIZE, 0)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, 64)
    while line := source.readline():
        request = json.loads(line)
        content = source.read(request["bytes"])
        reply, samples = answer(content, ScoreQuery(**request["query"]), request["loudness"])
        out.write(json.dumps({**reply, "bytes": len(samples)}).encode() + b"\n" + samples)
        out.flush()


def answer(content: bytes, query: ScoreQuery, loudness: float | None) -> tuple[dict[str, Any], bytes]:
    """Return the answer to one clip, and its samples."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + CPU_SECONDS + 1)
    try:
        clip = hear(content, query, loudness)
    except ClipRefusal as refused:
        return {"code": refused.code, "message": refused.message}, b""
    except MemoryError:
        return {"code": "undecodable", "message": TOO_MUCH}, b""
    facts = {name: value for name, value in asdict(clip).items() if name != "samples"}
    return {"heard": facts}, clip.samples.tobytes()


def limit(which: int, most: int) -> None:
    """Lower a resource limit as far as the system allows; macOS refuses some."""
    hard = resource.getrlimit(which)[1]
    try:
        resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    except (ValueError, OSError):
        return


if __name__ == "__main__":
    main()
