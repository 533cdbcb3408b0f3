"""The plan, and what was heard of each system."""

from __future__ import annotations

from typing import Any

from analysis.sections.shared import Record


class Thing(Record):
    """A system and what was heard of it among the ratings that count."""

    name: str
    kind: str
    clips: int
    texts: int
    voices: tuple[str, ...]
    raters: int
    ratings: int


class Design(Record):
    """The plan: protocol as key and value, task parameters, systems, and in sentences what it means for the figures.

    `pieces` is "text" where systems share texts, else "clip": what counts besides raters in the default interval.
    "raters" where they share too few texts, and raters count alone.
    `accepted` are differences between systems that the study compares on purpose; None: there are none.
    `margin` is that of non-inferiority, fixed at the launch; None: none was.
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
