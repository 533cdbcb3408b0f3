"""What a report is made of: parts with sentences, tables and plots; paragraphs of whole sentences in templates."""

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
from analysis.sections.shared import Named
from analysis.sections.tables import Table

# In English and in Chinese.
BLANK = re.compile(r"(\[(?:[Ss]tate |请填写)[^\[\]]*\])")
# Chinese puts no space behind the end of a sentence, nor between a closing quotation mark and what follows.
WIDE_END = re.compile(r"(?<=[。！？；：，）]) |(?<=”) (?=[^\x00-\x7f])")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a sentence; a blank is what only the authors know."""

    text: str
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """What raters read, word for word, under a heading."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A section: `plots` are names of plots; `refused` says in a sentence why there is nothing else."""

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
        """Return the sentences, each cut where a blank begins or ends."""
        return [stretches(sentence) for sentence in self.sentences]


def stretches(sentence: str) -> list[Stretch]:
    """Cut a sentence at its blanks."""
    pieces: Sequence[str] = BLANK.split(sentence)
    return [Stretch(piece, bool(at % 2)) for at, piece in enumerate(pieces) if piece]


def row_name(row: Named) -> str:
    """Return a group's name as a report's tables begin a line with it; `blocks.name_of` is what pages call it."""
    name = _("Human") if row.kind == "human" else row.name or _("All")
    return _("{name} (anchor)").format(name=name) if row.kind == "anchor" else name


def scale_of(results: Results) -> Scale:
    """Return the study's score as plots and reports write it."""
    scale = results.study.scale
    return Scale(scale.name, scale.low, scale.high, scale.unit)


def scaled(values: Iterable[float | None], scale: Scale) -> list[float | None]:
    """Return values in the units that people read."""
    return [None if value is None else scale.factor * value for value in values]


def paragraph(name: str, **values: Any) -> str:
    """Return the sentences of `templates/analysis/report/methods/<name>.txt` as one paragraph of plain text."""
    template: Any = get_template(f"analysis/report/methods/{name}.txt")
    text = " ".join(template.template.render(Context(values, autoescape=False)).split())
    return WIDE_END.sub("", text)


def listed(items: Sequence[str]) -> str:
    """Return short items in a row: a, b, c."""
    return pgettext("between items of a list", ", ").join(items)


def enumerated(items: Sequence[str]) -> str:
    """Return items that may hold commas in a row: a; b; c."""
    return pgettext("between longer items of a list", "; ").join(items)


def any_of(items: Sequence[str]) -> str:
    """Return items of which one is enough: a, b or c."""
    if len(items) < 2:
        return "".join(items)
    return _("{items} or {last}").format(items=listed(items[:-1]), last=items[-1])
