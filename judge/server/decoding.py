"""Pool of decoding processes: start them, send them clips, and end those that misbehave."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import numpy as np

from judge.problems import ClipRefusal
from judge.schemas import ScoreQuery
from judge.server.audio import LONGEST, DecodedClip
from judge.server.pcm import RATE

ROOT = Path(__file__).resolve().parents[2]
# Seconds of wall time per clip, including the start of a process.
WALL = 60.0
# Maximum size of decoded samples, with room for the resampler's rounding.
MOST_BYTES = int((LONGEST + 1) * RATE) * 4
LONGEST_LINE = 16 * 1024
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "PYTHONPATH": str(ROOT),
    "PYTHONDONTWRITEBYTECODE": "1",
    "LC_ALL": "C.UTF-8",
    # Threads would reserve address space, which is limited.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}


class DecoderDied(Exception):
    """A decoding process ended; `certain` if the clip is the cause."""

    def __init__(self, message: str, *, certain: bool) -> None:
        super().__init__(message)
        self.certain = certain


class DecoderPool:
    """A pool of long-lived decoding processes, each started on first use."""

    def __init__(self, size: int, *, wall: float = WALL) -> None:
        self.idle: queue.LifoQueue[DecoderProcess] = queue.LifoQueue()
        self.all = [DecoderProcess(wall) for _ in range(max(1, size))]
        for decoder in self.all:
            self.idle.put(decoder)
        atexit.register(self.close)

    def hear(self, content: bytes, query: ScoreQuery, loudness: float | None = None) -> DecodedClip:
        """Decode a clip in a child process; raises `ClipRefusal`.

        Costs a few milliseconds more than decoding in this process. After a child's death, the clip is tried once more,
        because the system may have killed it for other reasons.
        """
        decoder = self.idle.get()
        try:
            for last in (False, True):
                try:
                    return decoder.hear(content, query, loudness)
                except DecoderDied as death:
                    if last or death.certain:
                        raise ClipRefusal("undecodable", str(death)) from None
            raise AssertionError
        finally:
            self.idle.put(decoder)

    def close(self) -> None:
        """End all processes."""
        for decoder in self.all:
            decoder.end()


class DecoderProcess:
    """A child process that decodes one clip at a time."""

    def __init__(self, wall: float) -> None:
        self.wall = wall
        self.process: subprocess.Popen[bytes] | None = None

    def hear(self, content: bytes, query: ScoreQuery, loudness: float | None) -> DecodedClip:
        """Decode a clip; raises `ClipRefusal`, or `DecoderDied`."""
        child = self.process or self._start()
        late = threading.Event()
        watch = threading.Timer(self.wall, self._too_late, (child, late))
        watch.daemon = True
        watch.start()
        try:
            result = _exchange(child, content, query, loudness)
        except (OSError, ValueError, KeyError, TypeError):
            status = self.end()
            if late.is_set() or status == -signal.SIGXCPU:
                raise DecoderDied("Decoding took longer than one clip may. Export it again.", certain=True) from None
            raise DecoderDied("Decoding this file ended the decoder twice. Export it again.", certain=False) from None
        finally:
            watch.cancel()
        if isinstance(result, ClipRefusal):
            raise result
        return result

    def _start(self) -> subprocess.Popen[bytes]:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "judge.server.decoder"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, cwd="/", env=ENVIRONMENT, start_new_session=True,
        )  # fmt: skip
        return self.process

    @staticmethod
    def _too_late(child: subprocess.Popen[bytes], late: threading.Event) -> None:
        late.set()
        _kill(child)

    def end(self) -> int | None:
        """End the child; return its exit status."""
        child, self.process = self.process, None
        if child is None:
            return None
        for pipe in (child.stdin, child.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            # If the child died by itself, its exit status tells the signal.
            child.wait(timeout=0.2)
        _kill(child)
        return child.wait()


def _exchange(
    child: subprocess.Popen[bytes], content: bytes, query: ScoreQuery, loudness: float | None
) -> DecodedClip | ClipRefusal:
    """Send a clip and return the answer; raises OSError, ValueError, KeyError or TypeError if the child is broken."""
    assert child.stdin
    assert child.stdout
    request = {"query": query.model_dump(), "loudness": loudness, "bytes": len(content)}
    child.stdin.write(json.dumps(request).encode() + b"\n" + content)
    child.stdin.flush()
    reply = json.loads(child.stdout.readline(LONGEST_LINE))
    size = int(reply["bytes"])
    if not 0 <= size <= MOST_BYTES or size % 4:
        raise ValueError("That many samples can't come of a clip.")
    if "heard" not in reply:
        return ClipRefusal(reply["code"], str(reply["message"]))
    facts = reply["heard"]
    samples = np.frombuffer(_read(child.stdout, size), dtype=np.float32).copy()
    return DecodedClip(samples, **{**facts, "warnings": tuple(facts["warnings"])})


def _read(pipe: IO[bytes], size: int) -> bytes:
    got = pipe.read(size)
    if len(got) < size:
        raise ValueError("The child ended in the middle of an answer.")
    return got


def _kill(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
