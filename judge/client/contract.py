"""What every engine's client can do, and what it is given."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from judge.schemas import ClipScore, ModelInfo


@dataclass(frozen=True)
class Sound:
    """A clip's bytes, and what the platform knows of them."""

    content: bytes
    seconds: float | None = None
    language: str = ""

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


class JudgeClient(Protocol):
    """A client of a judge. Every method may be called from several threads at once.

    Each raises `Refused` (this clip never), `Unavailable` (not now) or `Misconfigured` (somebody has to act).
    """

    def info(self) -> ModelInfo:
        """Return what answers there."""

    def score(self, sound: Sound, profile: str) -> ClipScore:
        """Return one clip's score under a profile; an empty name means the judge's first."""

    def is_ready(self) -> bool:
        """Say whether a clip sent now would be scored."""

    def close(self) -> None:
        """End the connections."""
