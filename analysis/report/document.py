"""The report of an analysis: one HTML file that loads nothing, and a PDF."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.report import checklist, methods, summary
from analysis.sections.baseline import display as baseline_display
from analysis.sections.boxes import display as boxes_display
from analysis.sections.breakdowns import display as breakdowns_display
from analysis.sections.contrasts import display as contrasts_display
from analysis.sections.design import display as design_display
from analysis.sections.exclusions import display as exclusions_display
from analysis.sections.identification import display as identification_display
from analysis.sections.metrics import display as metrics_display
from analysis.sections.mixed_models import display as mixed_models_display
from analysis.sections.pair_tests import display as pair_tests_display
from analysis.sections.participants import display as participants_display
from analysis.sections.parts import Part, is_in_pairs
from analysis.sections.plan import display as plan_display
from analysis.sections.preferences import display as preferences_display
from analysis.sections.quality import display as quality_display
from analysis.sections.reliability import display as reliability_display
from analysis.sections.repeats import display as repeats_display
from analysis.sections.results import Results
from analysis.sections.scales import display as scales_display
from analysis.sections.scores import display as scores_display
from analysis.sections.sentences import in_language
from analysis.sections.sets import display as sets_display
from analysis.sections.shared import Refusal
from analysis.sections.times import display as times_display
from core.errors import DomainError

if TYPE_CHECKING:
    from analysis.plots.canvas import Plot
    from analysis.sections.tables import Table
    from studies.definition.definition import Definition

# Parts that take the scores of two systems as independent.
INDEPENDENT = {"human", "contrasts", "pair_tests", "models", "boxes"}
NO_PANGO = gettext_noop(
    "PDF needs the library Pango, which this machine lacks: install it (Debian and Ubuntu: libpango-1.0-0 and "
    "libpangoft2-1.0-0), then try again. The HTML report has the same content and prints from any browser."
)


class NoPango(DomainError):
    """This machine can't render PDFs; the message says what to install."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot on a page: the address of its bytes, and its description."""

    name: str
    title: str
    alt: str
    src: str


def parts(results: Results, definition: Definition | None = None, papers: Sequence[Table] = ()) -> list[Part]:
    """Return the sections of a report in order; `papers` are tables of a paper, added at the end."""
    # Other tasks, and analyses of earlier releases, lack these sections.
    own = {"preferences", "sets", "identification", "scales", "pair_tests", "repeats", "reliability", "plan"}
    asked = results.model_fields_set & own
    has_only_pairs = is_in_pairs(results)
    results = in_language(results)
    listed = [
        summary.part(results),
        design_display.part(results),
        *([plan_display.part(results)] if "plan" in asked else []),
        participants_display.part(results, definition),
        exclusions_display.part(results),
        *(preferences_display.parts(results) if "preferences" in asked else []),
        *([sets_display.part(results)] if "sets" in asked else []),
        *([identification_display.part(results)] if "identification" in asked else []),
        scores_display.part(results),
        *([scales_display.part(results)] if "scales" in asked else []),
        baseline_display.part(results),
        contrasts_display.part(results),
        *([pair_tests_display.part(results)] if "pair_tests" in asked else []),
        mixed_models_display.part(results),
        *boxes_display.parts(results),
        *([repeats_display.part(results)] if "repeats" in asked else []),
        quality_display.part(results),
        *([reliability_display.part(results)] if "reliability" in asked else []),
        times_display.part(results),
        breakdowns_display.part(results),
        metrics_display.part(results),
        methods.methods(results, definition),
        checklist.part(results, definition),
    ]
    if has_only_pairs:
        # Preferences say once that scores are compared nowhere else.
        listed = [part for part in listed if part.key not in INDEPENDENT]
    return [*listed, Part("papers", _("Tables as the papers print them"), tables=tuple(papers))] if papers else listed


def html(
    results: Results,
    definition: Definition | None = None,
    plots: Sequence[Plot] | None = None,
    papers: Sequence[Table] = (),
) -> str:
    """Return the report as one file with styles and pictures, without scripts or external resources.

    Without `definition` the methods text has blanks for the study's settings. `plots` are drawn if not given.
    """
    from django.template.loader import render_to_string

    from analysis.report import plots as drawing

    drawn = drawing.draw(results) if plots is None else plots
    local_results = in_language(results)
    pictures = {plot.name: Picture(plot.name, plot.title, plot.alt, _data(plot.svg)) for plot in drawn}
    context = {
        "results": local_results,
        "parts": shown(parts(results, definition, papers), pictures),
        "missing": _missing(results, drawn),
    }
    return render_to_string("analysis/report/document.html", context)


def pdf(
    results: Results,
    definition: Definition | None = None,
    plots: Sequence[Plot] | None = None,
    papers: Sequence[Table] = (),
) -> bytes:
    """Return the report as PDF; raises `NoPango`."""
    return printed(html(results, definition, plots, papers))


def printed(page: str) -> bytes:
    """Return a page as PDF; only data inside the page is loaded. Raises `NoPango`."""
    try:
        import weasyprint
        from weasyprint.urls import URLFetcher
    except OSError as error:
        # WeasyPrint loads the library when it is imported.
        raise NoPango(NO_PANGO) from error
    fetcher = URLFetcher(allowed_protocols=("data",), allow_redirects=False)
    written = weasyprint.HTML(string=page, url_fetcher=fetcher).write_pdf()
    return bytes(written or b"")


def shown(listed: Sequence[Part], pictures: Mapping[str, Picture]) -> list[tuple[Part, list[Picture]]]:
    """Return each part with its available pictures."""
    return [(part, [pictures[name] for name in part.plots if name in pictures]) for part in listed]


def _data(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _missing(results: Results, drawn: Sequence[Plot]) -> str:
    """Return the characters in names of the study and titles of plots that no installed font has."""
    from analysis.plots import canvas

    names, design = [results.study.title, *(plot.title for plot in drawn)], results.design
    if not isinstance(design, Refusal):
        names += [*design.dimensions, *(system.name for system in design.systems)]
    return canvas.lacking("".join(names))
