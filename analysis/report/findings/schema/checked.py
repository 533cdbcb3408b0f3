"""Agreement, checks, times, breakdowns, multiverse, metrics."""

from __future__ import annotations

from typing import Any, TypedDict

from analysis.report.findings.schema.modelled import Coefficient
from analysis.report.findings.schema.scored import Distance


class Alpha(TypedDict):
    """Krippendorff's alpha of one group ("" = all); None with a note where there is nothing to disagree about."""

    name: str
    kind: str
    metric: str
    alpha: float | None
    low: float | None
    high: float | None
    units: int
    ratings: int


class Agreement(TypedDict):
    """Alpha over clips; Fleiss' kappa where every clip has as many ratings; `cohen` of two raters each;
    Kendall's distance of the systems' order between two halves of the raters. None with a note why."""

    alpha: list[Alpha]
    fleiss: float | None
    cohen: float | None
    cohen_pairs: int
    halves: Distance | None
    notes: list[str]


class Trap(TypedDict):
    """A kind of trap, or golden questions: asked, rightly answered, and how often a pure guesser would be right."""

    key: str
    label: str
    asked: int
    right: int
    share: float


class Drift(TypedDict):
    """A tenth of a session (or a single position in short ones): mean score, and median seconds."""

    first: int
    last: int
    ratings: int
    score: float
    response: float | None


class Quality(TypedDict):
    """Traps, how often a guesser passes a batch (None without traps), and drift over the session with its slope.

    `slope` is the change of score by one position, adjusted for systems, with its interval by raters.
    """

    traps: list[Trap]
    batches_valid: int
    batches_decided: int
    guesser: float | None
    drift: list[Drift]
    slope: Coefficient | None
    notes: list[str]


class Seconds(TypedDict):
    """Of a system ("" = all): clips heard, seconds of response and decision; None where not known (rule C4)."""

    name: str
    kind: str
    clips: int
    response_median: float | None
    response_mean: float | None
    decision_median: float | None
    decision_mean: float | None


class Times(TypedDict):
    """Time per clip."""

    rows: list[Seconds]


class Line(TypedDict):
    """A code or several merged ones (`of`)."""

    code: str
    label: str
    of: list[str]


class Column(TypedDict):
    """A group with the count of each line among `of` answers or rows."""

    name: str
    kind: str
    of: int
    counts: list[int]


class Breakdown(TypedDict):
    """Markers or kinds of error: lines down, groups across, by each grouping. `per` "" = of all usable answers."""

    title: str
    part: str
    per: str
    lines: list[Line]
    groups: dict[str, list[Column]]


class Breakdowns(TypedDict):
    """All breakdowns of the task."""

    tables: list[Breakdown]


class Universe(TypedDict):
    """Rules applied, ratings kept and mean score of each system (in the order of `Multiverse.systems`)."""

    rules: list[str]
    ratings: list[int]
    scores: list[float | None]
    order: list[str]


class Multiverse(TypedDict):
    """Scores under every choice of exclusion rules; `same_order` counts universes with the order of all rules."""

    systems: list[str]
    rules: list[str]
    universes: list[Universe]
    same_order: int


class Correlation(TypedDict):
    """A metric against scores; written by whoever adds metrics."""

    name: str
    unit: str
    n: int
    pearson: float | None
    spearman: float | None
    kendall: float | None


class Metrics(TypedDict):
    """External metrics beside the human scores; empty where none was imported."""

    tables: list[dict[str, Any]]
