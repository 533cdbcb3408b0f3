"""What a quick test was asked for, and what it was made of: kept next to the data until the result."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from django.conf import settings
from pydantic import BaseModel, Field

Task = Literal["ab", "abx", "acr", "mushra"]


class Request(BaseModel):
    """The options of the command line; folders are absolute paths."""

    folders: tuple[Path, ...] = Field(min_length=2, max_length=5)
    task: Task = "ab"
    question: str = ""
    tie: bool = False
    reference: Path | None = None
    by_order: bool = False
    as_is: bool = False
    trim: bool = False
    common_band: bool = False
    trials: int = Field(30, ge=1, le=200)
    raters: int = Field(1, ge=1, le=100)
    language: str = "en"
    seed: int


class TestFile(BaseModel):
    """One file of the test; `gain` is in dB, `seconds` the length of what listeners hear."""

    text: str
    folder: str
    path: Path
    sha256: str
    gain: float
    seconds: float
    sample_rate: int


class Kept(BaseModel):
    """A test that was made: `folders` are the names of systems in the order of the request."""

    request: Request
    slug: str
    folders: tuple[str, ...]
    texts: tuple[str, ...]
    trials: int
    alone: tuple[int, ...]
    identical: int
    files: tuple[TestFile, ...]
    # Of all clips alike: seconds of silence at the edges, and Hz.
    repairs: dict[str, float] = {}
    started_at: str

    @property
    def answers(self) -> int:
        """The answers of a complete test."""
        return self.trials * self.request.raters


def path() -> Path:
    return settings.DATA / "quick.json"


def load() -> Kept:
    return Kept.model_validate_json(path().read_bytes())


def store(kept: Kept) -> None:
    path().touch(mode=0o600)
    path().write_text(kept.model_dump_json(indent=1), encoding="utf-8")
