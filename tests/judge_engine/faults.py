"""Readers that stand between queue and model and fail as devices do; what they let through is read by the model."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import torch

from judge.server.engine import Engine, ModelReading, PreparedClip


class Gate:
    """Reads only while it is open, and counts the batches."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.opened, self.entered = threading.Event(), threading.Event()
        self.sizes: list[int] = []

    def read(self, clips: Sequence[PreparedClip]) -> list[ModelReading]:
        self.entered.set()
        assert self.opened.wait(60)
        self.sizes.append(len(clips))
        return self.engine.read(clips)


class Faulty(Gate):
    """Runs out of memory above `most` clips, fails on clips of `poison` tokens, dies on clips of `deadly` tokens."""

    def __init__(self, engine: Engine, *, most: int = 99, poison: int = -1, deadly: int = -1) -> None:
        super().__init__(engine)
        self.most, self.poison, self.deadly = most, poison, deadly

    def read(self, clips: Sequence[PreparedClip]) -> list[ModelReading]:
        readings = super().read(clips)
        if len(clips) > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        if any(clip.tokens == self.deadly for clip in clips):
            raise torch.AcceleratorError("CUDA error: device-side assert triggered")
        if any(clip.tokens == self.poison for clip in clips):
            raise RuntimeError("shapes do not match")
        return readings
