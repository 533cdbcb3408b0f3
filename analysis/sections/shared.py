"""Results that several sections share: the study itself, its scale, a refusal, a distance of orders."""

from __future__ import annotations

from typing import Any, TypedDict


class Refused(TypedDict):
    """What can't be estimated, and why, in a sentence."""

    refused: str


class Scale(TypedDict):
    """The score: as `Score` of the task type. `codes` {canonical code: name} are its answers, empty for numbers."""

    name: str
    low: float
    high: float
    unit: str
    is_human: bool
    codes: dict[str, str]


class Distance(TypedDict):
    """Kendall's distance in [0, 1] of `n` things; two-sided p by `method` ("exact", "permutation")."""

    distance: float
    p: float
    method: str
    smallest_p: float
    n: int


class Study(TypedDict):
    """Which study, which of its versions, and whose sessions (`simulated`: without, with, only)."""

    slug: str
    title: str
    preset: str
    task_type: str
    task: str
    language: str
    launched_at: str | None
    versions: list[int]
    simulated: str
    scale: Scale


class Inputs(TypedDict):
    """What the figures were made from: the same fingerprint, code, seed and settings give the same figures."""

    fingerprint: str
    ratings: int
    counted: int
    code_version: str
    seed: int
    settings: dict[str, Any]
