"""The documents of a finished analysis: its report, and its tables in one ZIP."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.utils import translation

from core.files import storage

if TYPE_CHECKING:
    from analysis.plots.canvas import Plot
    from analysis.sections.results import Material, Results
    from analysis.sections.tables import Table
    from studies.definition.definition import Definition

KIND = "analyses"
HTML, PDF, TABLES = "report.html", "report.pdf", "tables.zip"
# The date of every file in the ZIP: the same tables give the same bytes.
MOMENT = (1980, 1, 1, 0, 0, 0)


def of_paper(material: Material) -> list[Table]:
    """Return the tables of the paper with the study's task; empty if there is none."""
    from analysis.papers import index

    return index.tables(material.kind.paper, [material]) if material.kind.paper else []


def store(results: Results, definition: Definition, drawn: Sequence[Plot], papers: Sequence[Table]) -> dict[str, str]:
    """Store report and tables in English, and return {file: its name in the store}; "problem" says why there is no PDF.

    Takes about a second for the page and three for the PDF on an idle core.
    """
    with translation.override("en"):
        return _stored(results, definition, drawn, papers)


def _stored(results: Results, definition: Definition, drawn: Sequence[Plot], papers: Sequence[Table]) -> dict[str, str]:
    from analysis.report import document

    parts = document.parts(results, definition, papers)
    page = document.html(results, definition, drawn, papers)
    contents = {HTML: page.encode(), TABLES: packed(table for part in parts for table in part.tables)}
    problem = {}
    try:
        contents[PDF] = document.printed(page)
    except document.NoPango as error:
        problem["problem"] = error.message
    return {**{name: storage.put(KIND, content) for name, content in contents.items()}, **problem}


def discard(documents: Mapping[str, Any]) -> None:
    """Delete what `store` returned."""
    for name in (HTML, PDF, TABLES):
        storage.discard(documents.get(name, ""))


def packed(tables: Iterable[Table]) -> bytes:
    """Return a ZIP of every table as CSV, Markdown and LaTeX."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in tables:
            for ending, text in (("csv", table.csv()), ("md", table.markdown()), ("tex", table.latex())):
                archive.writestr(zipfile.ZipInfo(f"{table.name}.{ending}", MOMENT), text)
    return target.getvalue()
