"""Judges and other metrics on one study's trap clips and voices, as the ATT paper's Figure 3 and Table 4 need them."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.stats.figures import YesNo


@dataclass(frozen=True, slots=True)
class TrapDot:
    """A trap clip: its file, its role, the judge's value, and that value on a scale from 0 (worst) to 1 (best)."""

    clip: str
    role: str
    value: float
    mapped: float | None


@dataclass(frozen=True, slots=True)
class VoiceRanks:
    """Kendall's distance between the order of voices by a judge and by listeners; `refused` says why there is none.

    `dimension` is empty for all clips. `seen`: the judge was trained on it. `halves` is the distance between two random
    halves of the raters.
    """

    dimension: str
    seen: bool
    voices: int
    distance: float | None = None
    p: float | None = None
    method: str = ""
    halves: float | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge's or metric's values of trap clips, the yes/no test at 0.5 (`at`, or why there is none), and its ranks.

    `formula` maps values to 0 … 1. `asked` counts all trap clips, `at_half` those at exactly 0.5.
    """

    name: str
    formula: str
    asked: int
    dots: tuple[TrapDot, ...]
    auc: float | None
    at: YesNo | None
    at_half: int | None
    refused: str
    ranks: tuple[VoiceRanks, ...]
