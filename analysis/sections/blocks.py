"""Building blocks of a page of results, and words and numbers in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.data.groups import ANCHOR, HUMAN
from analysis.sections.parts import Part
from analysis.sections.results import Results
from analysis.sections.shared import Named
from analysis.stats.figures import Distance
from core.text.numbers import decimals, rounded
from studies import task_types

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
    name = _("Human") if kind == HUMAN and name in ("", HUMAN) else name or _("not given")
    is_told = kind != ANCHOR or ANCHOR in name.casefold()
    return name if is_told else _("{name} (anchor)").format(name=name)


@dataclass(frozen=True, slots=True)
class FlowBar:
    """A stage in the flow of participants; its bar is a share of `of`."""

    label: str
    count: int
    of: int
    is_exit: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A section of a page: a part of the report with its summary (`lead`), and bars of the flow of participants."""

    part: Part
    lead: Sequence[str] = ()
    steps: Sequence[FlowBar] = ()


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
        distance=decimals(between.distance),
        n=between.n,
        p=probability(between.p),
        method=method_name(between.method),
        least=probability(between.smallest_p),
    )


def rating_unit(results: Results) -> str:
    """Return a sentence on what counts as a rating where one trial has several; otherwise ""."""
    kind = task_types.get(results.study.task_type)
    if kind.asks:
        return _("Here each answer to a question counts as a rating.")
    return _("Here the answer on each clip of a screen counts as a rating.") if kind.shows == "screen" else ""


def method_name(method: str) -> str:
    """Return the name of the method that computed p."""
    return {"exact": _("exact"), "permutation": _("by permutation")}.get(method, method)


def metric_name(metric: str) -> str:
    """Return the name of a distance metric of Krippendorff’s alpha."""
    names = {"nominal": _("nominal"), "ordinal": _("ordinal"), "interval": _("interval"), "ratio": _("ratio")}
    return names.get(metric, metric)
