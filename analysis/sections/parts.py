"""Building blocks of a report: sections with sentences, tables and plots; paragraphs from templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.template import Context
from django.template.loader import get_template
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from analysis.plots.words import Scale
from analysis.sections.results import Results
from analysis.sections.shared import Named, Refusal
from analysis.sections.tables import Table

# Placeholders for authors, in English and in Chinese.
BLANK = re.compile(r"(\[(?:[Ss]tate |请填写)[^\[\]]*\])")
# Chinese has no space after the end of a sentence, nor after a closing quotation mark.
WIDE_END = re.compile(r"(?<=[。！？；：，）]) |(?<=”) (?=[^\x00-\x7f])")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Part of a sentence; a blank is for authors to fill in."""

    text: str
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """A text that raters read, verbatim, with a heading."""

    title: str
    text: str
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A section of a report: `plots` are names of plots; `refused` is the reason why there is nothing else."""

    key: str
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    refused: str = ""
    is_prose: bool = field(default=False)

    @property
    def paragraphs(self) -> list[list[Stretch]]:
        """The sentences, each split at its blanks."""
        return [stretches(sentence) for sentence in self.sentences]


def stretches(sentence: str) -> list[Stretch]:
    """Split a sentence at its blanks."""
    pieces: Sequence[str] = BLANK.split(sentence)
    return [Stretch(piece, bool(at % 2)) for at, piece in enumerate(pieces) if piece]


def row_name(row: Named) -> str:
    """Return a group's name at the start of a table's row."""
    name = _("Human") if row.kind == "human" else row.name or _("All")
    return _("{name} (anchor)").format(name=name) if row.kind == "anchor" else name


def group_name(row: Named, by: str) -> str:
    """Return the name of a group of a grouping, such as a dimension; clips without one are a group, too."""
    return row_name(row) if row.name or row.kind or by == "overall" else _("not given")


def scale_of(results: Results) -> Scale:
    """Return the study's score scale for plots and reports."""
    scale = results.study.scale
    return Scale(scale.name, scale.low, scale.high, scale.unit)


def scaled(values: Iterable[float | None], scale: Scale) -> list[float | None]:
    """Return values in the unit that people read, such as percent."""
    return [None if value is None else scale.factor * value for value in values]


def is_in_pairs(results: Results) -> bool:
    """True if systems met several others: only the section on preferences compares them, not those on scores."""
    section, scores = results.preferences, results.scores
    is_compared = not isinstance(section, Refusal) and bool(section.pairs)
    return is_compared and not isinstance(scores, Refusal) and scores.over == ""


def interval_note() -> str:
    """Return the note below intervals in two columns."""
    return _("Low and high: the 95 % interval.")


def in_points(scale: Scale) -> tuple[str, ...]:
    """Return the note below differences of scores in percent; none for other scores."""
    return (_("Differences are in percentage points."),) if scale.unit == "%" else ()


def p_value(p: float) -> float | str:
    """Return the cell of a p-value, below .001 as text."""
    return p if p >= 0.001 else "<0.001"


def paragraph(name: str, **values: Any) -> str:
    """Return the sentences of `templates/analysis/report/methods/<name>.txt` as one paragraph of plain text."""
    template: Any = get_template(f"analysis/report/methods/{name}.txt")
    text = " ".join(template.template.render(Context(values, autoescape=False)).split())
    return WIDE_END.sub("", text)


def listed(items: Sequence[str]) -> str:
    """Join short items: a, b, c."""
    return pgettext("between items of a list", ", ").join(items)


def enumerated(items: Sequence[str]) -> str:
    """Join items that may contain commas: a; b; c."""
    return pgettext("between longer items of a list", "; ").join(items)


def any_of(items: Sequence[str]) -> str:
    """Join alternatives: a, b or c."""
    if len(items) < 2:
        return "".join(items)
    return _("{items} or {last}").format(items=listed(items[:-1]), last=items[-1])
