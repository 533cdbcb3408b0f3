"""Scores as a study's page shows them, with comparisons and the fast model."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from pydantic import TypeAdapter

from analysis.data.groups import ANCHOR, HUMAN
from analysis.live import result
from analysis.live.result import Figures, GroupScore
from analysis.plots.charts import Axis, Span, whole
from analysis.sections import leads
from analysis.sections.blocks import BY, Block, display_name
from analysis.sections.contrasts import Contrasts
from analysis.sections.contrasts import display as contrasts_display
from analysis.sections.mixed_models import Fast
from analysis.sections.mixed_models import display as mixed_models_display
from analysis.sections.results import dump
from analysis.sections.sentences import translated
from analysis.sections.shared import Refusal

# An interval wider than a tenth of the scale says little: such a score is called preliminary.
WIDE = 0.1
# An interval of fewer raters is marked (rule D4).
MODEL_RATERS = 10
# Two ways of averaging that differ by more than this are pointed out (rule C1).
APART = 0.01
CONTRASTS: TypeAdapter[Contrasts | Refusal] = TypeAdapter(Contrasts | Refusal)
FAST: TypeAdapter[Fast | Refusal] = TypeAdapter(Fast | Refusal)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One group on the chart and in its table."""

    name: str
    system: str
    is_human: bool
    is_anchor: bool
    at: str
    span: Span | None
    mean: str
    interval: str
    fine_mean: str
    fine_interval: str
    ratings: str
    raters: str
    clips: str
    clip_mean: str
    equal_mean: str
    without_traps: str
    without_traps_ratings: str
    first: str
    first_ratings: str
    rater_mean: str
    is_preliminary: bool
    has_few_raters: bool
    is_apart: bool
    is_wilson: bool
    is_log_odds: bool


@dataclass(frozen=True, slots=True)
class Baseline:
    """How human people sound in this study: a band behind every row."""

    at: str
    span: Span | None
    mean: str
    fine_mean: str
    fine_interval: str
    ratings: str
    is_from_traps: bool


@dataclass(frozen=True, slots=True)
class CrossedCell:
    """A score and the ratings that it is the mean of."""

    mean: str
    ratings: str


@dataclass(frozen=True, slots=True)
class CrossedRow:
    """A system's scores; `is_partial` where a column has none."""

    name: str
    cells: list[CrossedCell | None]
    mu: str
    is_partial: bool


@dataclass(frozen=True, slots=True)
class Crossed:
    """Scores of systems down and of benchmarks or conditions across, as the papers print them."""

    title: Promise
    columns: list[str]
    rows: list[CrossedRow]
    has_mean: bool
    is_partial: bool


def score_rows(figures: Figures, by: str) -> list[ScoreRow]:
    """Return the groups, the highest score first."""
    axis = axis_of(figures)
    width = axis.high - axis.low
    return [
        ScoreRow(
            name=_("all systems") if by == "overall" and not row.kind else display_name(row.name, row.kind),
            system=row.system,
            is_human=row.kind == HUMAN,
            is_anchor=row.kind == ANCHOR,
            at=axis.at(row.mean),
            span=_span(axis, row),
            mean=axis.show(row.mean),
            interval=axis.interval(row.low, row.high),
            fine_mean=axis.show(row.mean, 1),
            fine_interval=axis.interval(row.low, row.high, 1),
            ratings=whole(row.ratings),
            raters=whole(row.raters),
            clips=whole(row.clips),
            clip_mean=axis.show(row.clip_mean, 1),
            equal_mean=axis.show(row.equal_mean, 1),
            without_traps=axis.show(row.without_traps, 1),
            without_traps_ratings=whole(row.without_traps_ratings),
            first=axis.show(row.first, 1),
            first_ratings=whole(row.first_ratings),
            rater_mean=axis.show(row.rater_mean, 1),
            is_preliminary=row.low is None or row.high is None or row.high - row.low > WIDE * width,
            has_few_raters=row.low is not None and row.raters < MODEL_RATERS,
            is_apart=_apart(row) > APART * width,
            is_wilson=row.method == "wilson",
            is_log_odds=row.method == "log-odds",
        )
        for row in figures.scores[by]
    ]


def _apart(row: GroupScore) -> float:
    ways = [row.mean, row.clip_mean, row.equal_mean]
    return max(ways) - min(ways)


def _span(axis: Axis, row: GroupScore | result.Baseline) -> Span | None:
    return None if row.low is None or row.high is None else axis.span(row.low, row.high)


def axis_of(figures: Figures) -> Axis:
    scale = figures.scale
    return Axis(scale.low, scale.high, scale.unit)


def reading(figures: Figures) -> str:
    """Say which way the chart is read."""
    scale = figures.scale
    if scale.low < 0 < scale.high:
        return _("to the right of the line the system was preferred, to its left what it was compared with.")
    if scale.is_human:
        return _("the more to the right, the more human.")
    return _("the more to the right, the better.")


def lead(figures: Figures, by: str) -> list[str]:
    """Sum the scores up: the best system, human speech, and the ends of the groups shown."""
    axis, human = axis_of(figures), figures.baseline
    is_from_traps = human is not None and human.source == "traps"
    sentences = leads.scores(axis, figures.scores.get("system", ()), human, is_from_traps=is_from_traps)
    return sentences if by == "system" else [*sentences, *leads.extremes(axis, figures.scores[by])]


def baseline(figures: Figures) -> Baseline | None:
    row = figures.baseline
    if row is None:
        return None
    axis = axis_of(figures)
    return Baseline(
        at=axis.at(row.mean),
        span=_span(axis, row),
        mean=axis.show(row.mean),
        fine_mean=axis.show(row.mean, 1),
        fine_interval=axis.interval(row.low, row.high, 1),
        ratings=whole(row.ratings),
        is_from_traps=row.source == "traps",
    )


def groupings(figures: Figures) -> list[str]:
    """Return the ways of grouping that say something here: a study without dimensions offers none."""
    return [
        by
        for by, rows in figures.scores.items()
        if by in {"system", "overall"} or any(row.name and row.kind != HUMAN for row in rows)
    ]


def crossed(figures: Figures) -> list[Crossed]:
    """Return the tables of systems × benchmarks and × conditions."""
    axis = axis_of(figures)
    tables = []
    for by, table in figures.crossed.items():
        all_of = len(table.columns)
        rows = [
            CrossedRow(
                name=display_name(row.name, row.kind),
                cells=[
                    None if cell is None else CrossedCell(axis.show(cell.mean, 1), whole(cell.ratings))
                    for cell in row.cells
                ],
                mu=axis.show(row.mu, 1),
                is_partial=row.of < all_of,
            )
            for row in table.rows
        ]
        partial = any(row.is_partial for row in rows)
        columns = [name or _("not given") for name in table.columns]
        tables.append(Crossed(BY[by], columns, rows, by == "benchmark" and all_of > 1, partial))
    return tables


def blocks(figures: Figures) -> list[Block]:
    """Return the blocks of comparisons and of the fast model; none before a rating counts."""
    if figures.model is None or figures.contrasts is None:
        return []
    computed = {"model": dump(figures.model), "contrasts": dump(figures.contrasts), "sentences": figures.sentences}
    results, axis = translated(computed), axis_of(figures)
    fast, contrasts = FAST.validate_python(results["model"]), CONTRASTS.validate_python(results["contrasts"])
    return [contrasts_display.shown(axis, contrasts), mixed_models_display.fast(axis, fast)]
