"""Building blocks of a page of results: titled blocks of sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.data.groups import ANCHOR, HUMAN
from analysis.plots.charts import Axis
from analysis.sections.parts import Part
from analysis.sections.results import Results
from analysis.sections.shared import Named
from analysis.stats.figures import Distance
from core.text.numbers import rounded

BY: dict[str, Promise] = {
    "system": gettext_lazy("System"),
    "voice": gettext_lazy("Voice"),
    "dimension": gettext_lazy("Dimension"),
    "benchmark": gettext_lazy("Benchmark"),
    "condition": gettext_lazy("Condition"),
    "domain": gettext_lazy("Domain"),
    "box": gettext_lazy("Box"),
    "overall": gettext_lazy("Overall"),
}

# Below a table with a star beside such figures, as in Table 1 of the HFR paper.
TRAINED = gettext_lazy("Marked *: the system was trained on this benchmark.")


def display_name(name: str, kind: str) -> str:
    """Return a group's name; an anchor is marked, because it may have the name of the system it was made from."""
    name = _("human") if kind == HUMAN and name in ("", HUMAN) else name or _("not given")
    is_told = kind != ANCHOR or ANCHOR in name.casefold()
    return name if is_told else _("{name} (anchor)").format(name=name)


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows of text in columns; the first cell of a row is its heading."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class FlowBar:
    """A stage in the flow of participants; its bar is a share of `of`."""

    label: str
    count: int
    of: int
    is_exit: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A section: its summary (`lead`), further sentences and tables, or the reason why it was refused."""

    key: str
    title: str
    refused: str = ""
    lines: Sequence[str] = ()
    tables: Sequence[TextTable] = ()
    steps: Sequence[FlowBar] = ()
    lead: Sequence[str] = ()


def block(part: Part, lead: Sequence[str] = ()) -> Block:
    """Return a report's section as a block of the page, with the same sentences and tables."""
    tables = [
        TextTable(table.title, [column.title for column in table.columns], table.shown(), " ".join(table.notes))
        for table in part.tables
    ]
    return Block(part.key, part.title, part.refused, lines=part.sentences, tables=tables, lead=lead)


def axis(results: Results) -> Axis:
    scale = results.study.scale
    return Axis(scale.low, scale.high, scale.unit, scale.sign)


def change(of: Axis, value: float | None) -> str:
    """Return a difference of scores with its sign, in the score's unit."""
    if value is None:
        return "–"
    shown = rounded(abs(of.factor * value), of.digits + 1)
    sign = "" if float(f"{abs(of.factor * value):.{of.digits + 1}f}") == 0 else "+" if value > 0 else "−"
    return f"{sign}{shown}"


def changes(of: Axis, low: float | None, high: float | None) -> str:
    """Return both ends of a difference's interval."""
    return "–" if low is None else f"{change(of, low)} … {change(of, high)}"


def fixed(value: float | None, digits: int = 3) -> str:
    """Return a number with this many decimals; a dash for None."""
    return "–" if value is None else rounded(value, digits).replace("-", "−")


def span(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return both ends as plain numbers; a dash without an interval."""
    return "–" if low is None or high is None else f"{fixed(low, digits)} … {fixed(high, digits)}"


def share(value: float | None) -> str:
    """Return a share as a percentage; a dash for None."""
    return "–" if value is None else f"{rounded(100 * value, 1)} %"


def name_of(row: Named) -> str:
    """Return a group's name; the group of all is called “all”."""
    return display_name(row.name, row.kind) if row.name or row.kind else _("all")


def probability(value: float) -> str:
    """Return a p-value; tiny ones as "< .001" rather than zero."""
    return "< .001" if value < 0.001 else rounded(value, 3)


def distance(between: Distance) -> str:
    """Return a sentence on the distance between two orders of the systems."""
    words = _("Kendall’s distance {distance} of {n} systems, p {p} ({method}; the smallest possible is {least}).")
    return words.format(
        distance=fixed(between.distance),
        n=between.n,
        p=probability(between.p),
        method=method_name(between.method),
        least=fixed(between.smallest_p, 4),
    )


def method_name(method: str) -> str:
    """Return the name of the method that computed p."""
    return {"exact": _("exact"), "permutation": _("by permutation")}.get(method, method)


def metric_name(metric: str) -> str:
    """Return the name of a distance metric of Krippendorff’s alpha."""
    names = {"nominal": _("nominal"), "ordinal": _("ordinal"), "interval": _("interval"), "ratio": _("ratio")}
    return names.get(metric, metric)
