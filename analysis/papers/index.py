"""The papers' tables, from a study and others joined to it by system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analysis.papers import att, hfr, sp_mcqa
from analysis.sections.tables import Table
from core.errors import NotFound

if TYPE_CHECKING:
    from analysis.sections.results import Material

PAPERS: dict[str, Callable[[Sequence[Material]], list[Table]]] = {
    "att": att.tables,
    "hfr": hfr.tables,
    "sp-mcqa": sp_mcqa.tables,
}


def tables(paper: str, studies: Sequence[Material]) -> list[Table]:
    """Return a paper's tables, for the first study and those joined to it. Raises `NotFound` for an unknown paper."""
    if paper not in PAPERS:
        raise NotFound(f"There are no tables of a paper {paper!r}; known are {', '.join(PAPERS)}.")
    return PAPERS[paper](studies)
