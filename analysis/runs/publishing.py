"""Results of closed studies as files for the web: an index page, and for each study its report, plots and tables."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from analysis.data.models import Simulated
from analysis.report import printing
from analysis.report.page import blocks
from analysis.report.summary import basis
from analysis.runs import analyses, queries, translated
from analysis.sections.results import load
from core import jobs
from core.errors import Conflict
from core.files import storage
from core.text import languages
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from analysis.runs.models import Analysis
    from studies.definition.models import Study

INDEX = "index.html"
# Sections whose first sentences, and plots, are on the index page.
MAIN = ("preferences", "scores", "human", "contrasts")


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """An entry of the index page; `plots` are (name, alternative text), and its files are in the folder `slug`."""

    slug: str
    title: str
    task: str
    is_simulated: bool
    computed_at: datetime | None
    leads: Sequence[str]
    basis: str
    plots: Sequence[tuple[str, str]]
    tables: Sequence[str]


def publish(
    slugs: Sequence[str], folder: Path, *, simulated: Simulated, language: str, clock: Callable[[], datetime]
) -> Iterator[Path]:
    """Write the pages and yield each file; raises `Conflict` for a study that isn't closed or a folder with files.

    The newest analysis of all versions is used; where there is none, it is computed, which takes about a minute.
    """
    studies = [_closed(slug) for slug in slugs]
    if folder.exists() and any(folder.iterdir()):
        raise Conflict(_("The folder {folder} is not empty. Choose a new one.").format(folder=folder))
    entries = []
    for study in studies:
        analysis = _newest(study, simulated) or _computed(study, simulated, clock)
        yield from _write(analysis, folder / study.slug, language)
        entries.append(_entry(study, analysis, folder / study.slug, language))
    with languages.speaking(language):
        page = render_to_string("analysis/runs/published.html", {"studies": entries})
    yield _put(folder / INDEX, page.encode())


def _closed(slug: str) -> Study:
    study = definition_queries.study(slug)
    if study.state != study.State.CLOSED:
        message = _("Only closed studies are published, and {study} still collects ratings or is a draft.")
        raise Conflict(message.format(study=study.slug), code="not_closed")
    return study


def _newest(study: Study, simulated: Simulated) -> Analysis | None:
    """Return the newest analysis of all versions; without those that have figures of raters who were erased since."""
    wanted = analyses.chosen(study_id=study.pk, simulated=simulated, versions=None, seed=analyses.SEED)
    rows = queries.of(study.pk).filter(state=jobs.DONE, erased_raters=0)
    pk = next((row.pk for row in rows if row.settings == wanted and printing.HTML in row.files["documents"]), None)
    return None if pk is None else queries.analysis(study.pk, pk)


def _computed(study: Study, simulated: Simulated, clock: Callable[[], datetime]) -> Analysis:
    row = analyses.request_analysis(study_id=study.pk, user=None, now=clock(), simulated=simulated)
    analyses.run(pk=row.pk, clock=clock)
    row.refresh_from_db()
    if row.state != jobs.DONE:
        raise Conflict(row.error or _("A worker is computing this analysis. Try again in a minute."))
    return row


def _write(analysis: Analysis, folder: Path, language: str) -> Iterator[Path]:
    yield _put(folder / "report.html", translated.report(analysis, printing.HTML, language))
    for plot in translated.plots(analysis.files, language):
        for kind in ("svg", "png"):
            yield _put(folder / "plots" / f"{plot['name']}.{kind}", storage.open_file(plot[kind]).read())
    with (
        storage.open_file(analysis.files["documents"][printing.TABLES]) as stored,
        zipfile.ZipFile(stored) as archive,
    ):
        for name in archive.namelist():
            if name.endswith(".csv"):
                yield _put(folder / "tables" / name, archive.read(name))


def _entry(study: Study, analysis: Analysis, folder: Path, language: str) -> PublishedStudy:
    results = load(analysis.results)
    with languages.speaking(language):
        shown = blocks(results, translated.definition(analysis), translated.papers(analysis))
        return PublishedStudy(
            slug=study.slug,
            title=study.title,
            task=results.study.task,
            is_simulated=results.study.simulated != Simulated.WITHOUT,
            computed_at=analysis.ended_at,
            leads=[sentence for block in shown if block.part.key in MAIN for sentence in block.lead],
            basis=basis(results),
            plots=[
                (plot["name"], plot["alt"])
                for plot in translated.plots(analysis.files, language)
                if plot["name"] in MAIN
            ],
            tables=sorted(path.name for path in (folder / "tables").iterdir()),
        )


def _put(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
