"""The interface of judge clients, and their input."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from judge.schemas import ClipScore, ModelInfo


@dataclass(frozen=True)
class Sound:
    """A clip's bytes, with its duration and language as known to the platform."""

    content: bytes
    seconds: float | None = None
    language: str = ""

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


class JudgeClient(Protocol):
    """A client of a judge. Thread-safe.

    Methods raise `ClipRefusal` (never this clip), `Unavailable` (not now) or `Misconfigured` (the operator must act).
    """

    def info(self) -> ModelInfo:
        """Return the judge's description."""

    def score(self, sound: Sound, profile: str) -> ClipScore:
        """Return one clip's score under a profile; an empty name means the judge's first."""

    def is_ready(self) -> bool:
        """True if a clip sent now would be scored."""

    def close(self) -> None:
        """Close the connections."""
