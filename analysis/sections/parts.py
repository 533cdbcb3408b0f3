"""What a report is made of: parts with sentences, tables and plots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from analysis.plots.words import Scale
from analysis.sections.results import Results
from analysis.sections.shared import Named
from analysis.sections.tables import Table

# In English and in Chinese.
BLANK = re.compile(r"(\[(?:[Ss]tate |请填写)[^\[\]]*\])")


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
    """Return a group's name as people read it."""
    name = _("Human") if row.kind == "human" else row.name or _("All")
    return _("{name} (anchor)").format(name=name) if row.kind == "anchor" else name


def scale_of(results: Results) -> Scale:
    """Return the study's score as plots and reports write it."""
    scale = results.study.scale
    return Scale(scale.name, scale.low, scale.high, scale.unit)


def scaled(values: Iterable[float | None], scale: Scale) -> list[float | None]:
    """Return values in the units that people read."""
    return [None if value is None else scale.factor * value for value in values]
