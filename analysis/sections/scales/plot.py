"""Plots of scales: the systems' means on each, with intervals."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.canvas import Plot
from analysis.plots.words import Scale
from analysis.sections.results import Results
from analysis.sections.scales import ScaleMeans
from analysis.sections.scores.plot import drawn
from analysis.sections.shared import Refusal


def means(results: Results) -> list[Plot]:
    """Draw each scale: a row for each system. A task with one scale has the plot of its scores."""
    section = results.scales
    scales = () if isinstance(section, Refusal) else section.means
    return [_means(each) for each in scales] if len(scales) > 1 else []


def name(of: ScaleMeans) -> str:
    """Return the name of a scale's plot."""
    return f"scale-{of.part}"


def _means(of: ScaleMeans) -> Plot:
    title = _("{score} by system").format(score=of.name)
    return drawn(of.systems, Scale(of.name, of.low, of.high, of.unit), name=name(of), title=title)
