"""Plots of an analysis in print quality: SVG and PNG with descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analysis.plots.canvas import Plot
from analysis.sections.breakdowns import plot as breakdowns_plot
from analysis.sections.contrasts import plot as contrasts_plot
from analysis.sections.mixed_models import plot as mixed_models_plot
from analysis.sections.multiverse import plot as multiverse_plot
from analysis.sections.participants import plot as participants_plot
from analysis.sections.preferences import plot as preferences_plot
from analysis.sections.quality import plot as quality_plot
from analysis.sections.results import Results
from analysis.sections.scales import plot as scales_plot
from analysis.sections.scores import plot as scores_plot
from analysis.sections.sentences import in_language
from analysis.sections.times import plot as times_plot

DRAWERS: tuple[Callable[[Results], Plot | None], ...] = (
    preferences_plot.strengths,
    scores_plot.systems,
    scores_plot.dimensions,
    scores_plot.benchmarks,
    scores_plot.figure_2a,
    scores_plot.figure_2b,
    contrasts_plot.contrasts,
    contrasts_plot.ranks,
    mixed_models_plot.posterior,
    multiverse_plot.plot,
    times_plot.plot,
    quality_plot.drift,
    # After the answers.
    participants_plot.flow,
)


def draw(results: Results) -> list[Plot]:
    """Return the plots that these results allow; the same results give the same bytes.

    Takes about a third of a second each; refused sections have no plot.
    """
    return list(_drawn(in_language(results)))


def _drawn(results: Results) -> Iterator[Plot]:
    for drawer in DRAWERS:
        plot = drawer(results)
        if plot is not None:
            yield plot
    yield from scales_plot.means(results)
    yield from breakdowns_plot.shares(results)
