"""A snapshot in the form in which the study's page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.report.charts import Axis, Span, percent, tenths, whole

HUMAN = "human"
# An interval wider than a tenth of the scale says little: such a score is called preliminary.
WIDE = 0.1
# Two ways of averaging that differ by more than this are pointed out (rule C1).
APART = 0.01
BY: dict[str, Promise] = {
    "system": gettext_lazy("System"),
    "voice": gettext_lazy("Voice"),
    "dimension": gettext_lazy("Dimension"),
    "box": gettext_lazy("Box"),
}


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One group on the chart and in its table."""

    name: str
    system: str
    is_human: bool
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
    is_preliminary: bool
    is_apart: bool
    is_wilson: bool


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
class HeatCell:
    """Ratings per clip of one system and dimension, and how near that is to what is wanted (0 to 5)."""

    shown: str
    detail: str
    level: int


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of the way that people take, its count, and its share of those who arrived."""

    label: str
    count: str
    width: str
    is_exit: bool = False


def score_rows(figures: dict[str, Any], by: str) -> list[ScoreRow]:
    """Return the groups, the most human first."""
    axis = axis_of(figures)
    width = axis.high - axis.low
    return [
        ScoreRow(
            name=row["name"] or _("not given"),
            system=row["system"] if by == "voice" else "",
            is_human=row["system"] == HUMAN,
            at=axis.at(row["mean"]),
            span=None if row["low"] is None else axis.span(row["low"], row["high"]),
            mean=axis.show(row["mean"]),
            interval=axis.interval(row),
            fine_mean=axis.show(row["mean"], 1),
            fine_interval=axis.interval(row, 1),
            ratings=whole(row["ratings"]),
            raters=whole(row["raters"]),
            clips=whole(row["clips"]),
            clip_mean=axis.show(row["clip_mean"], 1),
            equal_mean=axis.show(row["equal_mean"], 1),
            without_traps=axis.show(row["without_traps"], 1),
            without_traps_ratings=whole(row["without_traps_ratings"]),
            is_preliminary=row["low"] is None or row["high"] - row["low"] > WIDE * width,
            is_apart=_apart(row) > APART * width,
            is_wilson=row["method"] == "wilson",
        )
        for row in figures["scores"][by]
    ]


def _apart(row: dict[str, Any]) -> float:
    ways = [row["mean"], row["clip_mean"], row["equal_mean"]]
    return float(max(ways) - min(ways))


def axis_of(figures: dict[str, Any]) -> Axis:
    scale = figures["scale"]
    return Axis(scale["low"], scale["high"], scale["unit"])


def baseline(figures: dict[str, Any]) -> Baseline | None:
    row = figures["baseline"]
    if row is None:
        return None
    axis = axis_of(figures)
    return Baseline(
        at=axis.at(row["mean"]),
        span=None if row["low"] is None else axis.span(row["low"], row["high"]),
        mean=axis.show(row["mean"]),
        fine_mean=axis.show(row["mean"], 1),
        fine_interval=axis.interval(row, 1),
        ratings=whole(row["ratings"]),
        is_from_traps=row["source"] == "traps",
    )


def groupings(figures: dict[str, Any]) -> list[str]:
    """Return the ways of grouping that say something here: a study without dimensions offers none."""
    return [by for by, rows in figures["scores"].items() if by == "system" or any(row["name"] for row in rows)]


def heat(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the coverage as a table: dimensions across, systems down."""
    cells = {(cell["system"], cell["dimension"]): cell for cell in figures["coverage"]["cells"]}
    systems, dimensions = sorted({key[0] for key in cells}), sorted({key[1] for key in cells})
    rows = [(system, [_heat_cell(cells.get((system, dimension))) for dimension in dimensions]) for system in systems]
    unnamed = _("not given") if any(dimensions) else _("all clips")
    return {"dimensions": [dimension or unnamed for dimension in dimensions], "rows": rows}


def _heat_cell(cell: dict[str, Any] | None) -> HeatCell | None:
    if cell is None:
        return None
    share = cell["filled"] / cell["wanted"]
    each, wanted = tenths(cell["usable"] / cell["clips"]), tenths(cell["wanted"] / cell["clips"])
    detail = _("{usable} usable ratings of {clips} clips; {each} a clip, {wanted} wanted").format(
        usable=whole(cell["usable"]), clips=whole(cell["clips"]), each=each, wanted=wanted
    )
    return HeatCell(each, detail, 5 if share == 1 else int(5 * share))


def flow(figures: dict[str, Any]) -> list[Step]:
    """Return how far people came."""
    people = figures["people"]
    stages = [
        (_("arrived"), people["arrived"], False),
        (_("agreed to take part"), people["consented"], False),
        (_("began to rate"), people["started"], False),
        (_("rating now or later"), people["rating"], False),
        (_("complete"), people["complete"], False),
        (_("declined"), people["declined"], True),
        (_("withdrew"), people["withdrawn"], True),
    ]
    of = max(people["arrived"], 1)
    return [Step(label, whole(count), f"{100 * count / of:.2f}%", leaves) for label, count, leaves in stages]


def traps(figures: dict[str, Any]) -> list[dict[str, str]]:
    """Return how well each kind of trap is answered."""
    labels = {"trap_flawed": _("Flawed traps answered rightly"), "trap_human": _("Human traps answered rightly")}
    return [
        {
            "label": labels.get(row["role"], row["role"]),
            "share": "–" if row["share"] is None else percent(row["share"]),
            "width": f"{100 * (row['share'] or 0):.2f}%",
            "right": whole(row["right"]),
            "asked": whole(row["asked"]),
        }
        for row in figures["traps"]
    ]


def tiles(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the four numbers at the top."""
    batches, coverage, minutes = figures["batches"], figures["coverage"], figures["minutes"]
    decided = batches["valid"] + batches["invalid"]
    return {
        "active": whole(figures["active"]),
        "arrived": whole(figures["people"]["arrived"]),
        "filled": whole(coverage["filled"]),
        "wanted": whole(coverage["wanted"]),
        "filled_number": coverage["filled"],
        "wanted_number": coverage["wanted"],
        "surplus": whole(coverage["usable"] - coverage["filled"]) if coverage["usable"] > coverage["filled"] else "",
        "valid": percent(batches["valid"] / decided) if decided else "–",
        "decided_number": decided,
        "decided": whole(decided),
        "valid_number": whole(batches["valid"]),
        "guesser": percent(figures["guesser"], 1),
        "minutes": "–" if minutes["median"] is None else tenths(minutes["median"]),
        "sessions": whole(minutes["sessions"]),
    }


def view(figures: dict[str, Any], by: str) -> dict[str, Any]:
    """Return everything that the page's template names."""
    rows = score_rows(figures, by)
    return {
        "name": figures["scale"]["name"],
        "ticks": axis_of(figures).ticks(),
        "rows": rows,
        "baseline": baseline(figures),
        "groupings": [(key, BY[key], key == by) for key in groupings(figures)],
        "group": BY[by],
        "across": by in {"dimension", "box"},
        "is_apart": any(row.is_apart for row in rows),
        "is_wilson": any(row.is_wilson for row in rows),
        "is_preliminary": any(row.is_preliminary for row in rows),
        "heat": heat(figures),
        "flow": flow(figures),
        "traps": traps(figures),
        "tiles": tiles(figures),
        "batches": {name: whole(count) for name, count in figures["batches"].items()},
        "arrived": figures["people"]["arrived"],
        "answers": figures["answers"],
        "all_invalid": figures["batches"]["invalid"] > 0 == figures["batches"]["valid"],
        "simulated_sessions": figures["simulated_sessions"],
    }
