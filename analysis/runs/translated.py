"""A finished analysis in the reader's language: its stored plots, and its report, made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.plots.canvas import Plot
from analysis.report import document, printing
from analysis.sections.results import load
from analysis.sections.tables import Table
from core.files import storage
from core.text import languages
from studies.definition import queries as definition_queries
from studies.definition.definition import Definition

if TYPE_CHECKING:
    from analysis.runs.models import Analysis


def plots(files: dict[str, Any], language: str) -> list[dict[str, str]]:
    """Return the stored plots in this language, or in English if an earlier release stored no others."""
    entries: list[dict[str, str]] = files.get("translated", {}).get(language) or files.get("plots", [])
    return entries


def drawn(analysis: Analysis, language: str) -> list[Plot]:
    """Return the stored plots as they were drawn, without their bitmaps."""
    return [
        Plot(plot["name"], plot["title"], plot["alt"], storage.open_file(plot["svg"]).read().decode(), b"")
        for plot in plots(analysis.files, language)
    ]


def report(analysis: Analysis, file: str, language: str) -> bytes:
    """Return the report as HTML or PDF; raises `NoPango`, and `UnreadableResults` for results in an unknown format.

    Takes about a second, and three more for the PDF.
    """
    with languages.speaking(language):
        page = document.html(load(analysis.results), definition(analysis), drawn(analysis, language), papers(analysis))
        return document.printed(page) if file == printing.PDF else page.encode()


def papers(analysis: Analysis) -> list[Table]:
    """Return the stored tables of a paper, in English."""
    return [Table.restored(table) for table in analysis.files.get("papers", [])]


def definition(analysis: Analysis) -> Definition:
    """Return the study's definition at the time of the analysis."""
    known = [
        version
        for version in definition_queries.versions(analysis.study_id)
        if analysis.ended_at is None or version.published_at <= analysis.ended_at
    ]
    return Definition.model_validate(known[-1].definition) if known else analysis.study.definition
