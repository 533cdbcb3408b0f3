"""The study's design, and the clips, texts and voices of each system."""

from __future__ import annotations

from typing import Any

from analysis.sections.shared import Record


class Thing(Record):
    """A system, and the number of its clips, texts, voices, raters and ratings that count."""

    name: str
    kind: str
    clips: int
    texts: int
    voices: tuple[str, ...]
    raters: int
    ratings: int


class Design(Record):
    """The design: protocol as key and value, task parameters, systems, and the figures' scope in sentences.

    `pieces` is the second factor of the default interval, after raters: "text" if systems share texts, otherwise
    "clip"; "raters" if they share too few texts, so that only raters count. `accepted` are differences between systems
    that the study compares on purpose, or None. `margin` is that of non-inferiority, fixed at launch, or None.
    """

    protocol: dict[str, Any]
    parameters: dict[str, Any]
    systems: tuple[Thing, ...]
    clips: int
    texts: int
    raters: int
    dimensions: tuple[str, ...]
    benchmarks: tuple[str, ...]
    languages: tuple[str, ...]
    human_tests: bool
    pieces: str
    margin: float | None
    scope: tuple[str, ...]
    accepted: tuple[str, ...] | None = None
