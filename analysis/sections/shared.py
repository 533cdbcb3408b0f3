"""Shared by results of several sections: their base, a refusal, the study, its scale."""

from __future__ import annotations

from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from core.text.words import say
from studies.task_types.base import ScoreScale, score_sign

# Instead of a rater's pseudonym, in results stored before their answers were deleted.
ERASED = "erased"


class Record(BaseModel):
    """A part of an analysis's results. Frozen; ignores stored keys that this release doesn't know.

    New fields need a default, so that analyses of earlier releases can be read.
    """

    model_config = ConfigDict(frozen=True)


class Refusal(Record):
    """A section or figure that can't be estimated, with the reason in a sentence."""

    refused: str


NOT_COMPUTED = Refusal(refused=say("This was not computed."))


class Named(Protocol):
    """A row about a group: `kind` is "" (a system), "human" or "anchor"."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...


class Scale(Record):
    """The task type's `ScoreScale`. `codes` {canonical code: name} are its answers, empty for numbers."""

    name: str
    low: float
    high: float
    unit: str
    is_human: bool = False
    codes: dict[str, str] = {}
    about: str = ""

    @classmethod
    def of(cls, score: ScoreScale) -> Scale:
        return cls(
            name=score.name,
            low=score.low,
            high=score.high,
            unit=score.unit,
            is_human="human" in score.codes,
            codes={code: str(name) for code, name in score.codes.items()},
            about=score.about,
        )

    @property
    def sign(self) -> int:
        """The factor that turns scores into "higher is better"."""
        return score_sign(self.about)


class Study(Record):
    """The study, its versions, and its sessions (`simulated`: without, with, only)."""

    slug: str
    title: str
    preset: str
    task_type: str
    task: str
    language: str
    launched_at: str | None
    versions: tuple[int, ...]
    simulated: str
    scale: Scale


class Inputs(Record):
    """Identifies the inputs: the same fingerprint, code, seed and settings give the same figures."""

    fingerprint: str
    ratings: int
    counted: int
    code_version: str
    seed: int
    settings: dict[str, Any]
