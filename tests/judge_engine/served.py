"""A judge in a process of its own, whose device this file can hold or break: `python -m tests.judge_engine.served`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import torch

from judge.profiles import load as load_profile
from judge.server.app import ServerSettings, Service
from judge.server.batching import Budget
from judge.server.engine import Engine, ModelReading, PreparedClip
from judge.server.judging import Judge
from judge.server.loading import load
from judge.server.serve import serve

HELD, BROKEN = "reading\n", "CUDA error: an illegal memory access was encountered"


class Held:
    """Says on standard output when a batch is read, and reads it once a line comes in; `break` breaks the device."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.lock = threading.Lock()

    def read(self, clips: Sequence[PreparedClip]) -> list[ModelReading]:
        with self.lock:
            sys.stdout.write(HELD)
            sys.stdout.flush()
            if sys.stdin.readline() == "break\n":
                raise torch.AcceleratorError(BROKEN)
        return self.engine.read(clips)


def main(folder: str, port: str) -> int:
    """Serve a tiny model until told to stop."""
    judge = Judge(Engine(load(Path(folder), device="cpu"), [load_profile("att")]))
    service = Service(judge, ServerSettings(budget=Budget(4, 100_000)), Held(judge.engine))
    return serve(service, host="127.0.0.1", port=int(port))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
