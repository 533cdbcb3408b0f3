"""Metrics vs. listeners: the figures as a worker stores them and as pages and files read them.

A figure that can't be computed, such as a correlation, is a `Refusal`. Loads no statistics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from analysis.sections.metrics import SystemMeans
from analysis.sections.shared import Record, Refusal, Scale
from analysis.stats.figures import Ceiling, Correlation, YesNo

# Raise when the format changes: figures in an older format are computed again before they are shown.
SCHEMA = 3
# Clips listed on the page (its CSV has all of them), and points drawn: more would only overlap.
LISTED, DRAWN = 20, 600
# A clip's value, its mean score, and its kind: "" (a system), "human" or "anchor".
Point = tuple[float, float, str]


class Traps(Record):
    """Values of trap clips by role, raw and mapped to 0 … 1; AUC, and the figures at the middle of the scale.

    At most `DRAWN` values are stored, spread evenly; the figures use all of them. `at_half` counts the clips at exactly
    0.5, which are called human; None without a scale.
    """

    asked: int
    scored: int
    human: tuple[float, ...]
    flawed: tuple[float, ...]
    mapped_human: tuple[float, ...] | None
    mapped_flawed: tuple[float, ...] | None
    auc: float | None
    at: YesNo | Refusal
    at_half: int | None


class Ranks(Record):
    """Kendall's distance of `n` voices in a dimension ("" = all), and the raters' own; `seen` in training."""

    dimension: str
    seen: bool
    distance: float
    p: float
    method: str
    smallest_p: float
    n: int
    clips: int
    ratings: int
    ceiling: Ceiling | Refusal


class RefusedRanks(Record):
    """A dimension with `n` voices that can't be ranked."""

    dimension: str
    seen: bool
    refused: str
    n: int


class Voice(Record):
    """A voice's means and ranks by listeners and by the metric; ties share a rank."""

    system: str
    voice: str
    people: float
    machine: float
    people_place: float
    machine_place: float


class CalibratedSystem(SystemMeans):
    """A system, and the score predicted for it from the other systems."""

    left_out: float


class Calibration(Record):
    """A line fitted to the systems of one language: its bends (`at`, `fitted`), and its error."""

    language: str
    systems: int
    rows: tuple[CalibratedSystem, ...]
    at: tuple[float, ...]
    fitted: tuple[float, ...]
    error: float
    reach: float
    level: float


class RefusedCalibration(Record):
    """A language with too few systems for a line."""

    language: str
    systems: int
    refused: str


class ClipDifference(Record):
    """A clip's value and mean score; `difference` is its rank by metric minus its rank by listeners (0 to 1)."""

    clip: int
    machine: float
    people: float
    ratings: int
    difference: float


class ClipDifferences(Record):
    """All clips of a metric set as columns, in the order of `MachineFigures.apart`; read only for files."""

    set: int
    clip: tuple[int, ...]
    machine: tuple[float, ...]
    people: tuple[float, ...]
    ratings: tuple[int, ...]
    difference: tuple[float, ...]

    def rows(self) -> Iterator[tuple[int, float, float, int, float]]:
        """Iterate over clip, machine, people, ratings and difference."""
        return zip(self.clip, self.machine, self.people, self.ratings, self.difference, strict=True)


class MachineFigures(Record):
    """One metric set, over `paired` clips; `left_out` were in its training.

    `points` are the clips, thinned out evenly if there are many. `apart` are those with the largest rank differences.
    """

    traps: Traps
    set: int
    formula: str
    paired: int
    left_out: int
    systems: tuple[SystemMeans, ...]
    clip: Correlation | Refusal
    system: Correlation | Refusal
    ranks: tuple[Ranks | RefusedRanks, ...]
    voices: tuple[Voice, ...]
    points: tuple[Point, ...]
    calibration: tuple[Calibration | RefusedCalibration, ...]
    apart: tuple[ClipDifference, ...]


class VersionDrift(Record):
    """How values changed from an older metric set to a newer one of the same name."""

    older: int
    newer: int
    mean: float
    low: float
    high: float
    sd: float
    rose: int
    fell: int
    n: int


class Between(Record):
    """Two metrics over the clips that have both values; `drift` only for two versions of one metric."""

    clips: int
    correlation: Correlation | Refusal
    drift: VersionDrift | Refusal | None


class Figures(Record):
    """One metric or two against the listeners of a study."""

    model_config = ConfigDict(populate_by_name=True)

    version: int = Field(alias="schema")
    scale: Scale
    clips: int
    ratings: int
    raters: int
    machines: tuple[MachineFigures, ...]
    between: Between | None


def load(stored: Mapping[str, Any]) -> Figures | None:
    """Return stored figures; None if there are none in the current format, so that they are computed again."""
    try:
        figures = Figures.model_validate(stored)
    except ValidationError:
        return None
    return figures if figures.version == SCHEMA else None


def load_clips(stored: Sequence[Mapping[str, Any]]) -> list[ClipDifferences]:
    """Return the stored lists of all clips, one for each metric set."""
    return [ClipDifferences.model_validate(each) for each in stored]
