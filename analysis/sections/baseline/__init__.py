"""Systems against human speech."""

from __future__ import annotations

from analysis.sections.scores import Group
from analysis.sections.shared import Record


class Versus(Record):
    """A system minus human speech; `verdict` is non_inferior, inferior, undecided, or "" without a margin."""

    name: str
    difference: float
    low: float | None
    high: float | None
    verdict: str


class Baseline(Record):
    """The score of human speech: `source` "test", or "traps" (human traps of every full batch, valid or not; rule D2).

    `systems` compares each with human test clips; empty without such clips, as `note` says. `margin_reason` is the
    researcher's text.
    """

    source: str
    human: Group
    margin: float | None
    systems: tuple[Versus, ...]
    note: str
    margin_reason: str = ""
