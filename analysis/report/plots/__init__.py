"""Plots of an analysis, good enough to print: SVG and PNG with words for those who can't see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from analysis.plots.canvas import Plot
from analysis.report.plots import answers, choices, compared, people, scored

DRAWERS: tuple[Callable[[dict[str, Any]], Plot | None], ...] = (
    people.flow,
    scored.systems,
    scored.dimensions,
    scored.benchmarks,
    scored.figure_2a,
    scored.figure_2b,
    compared.contrasts,
    compared.ranks,
    compared.posterior,
    choices.multiverse,
    people.times,
    people.drift,
)


def draw(results: Mapping[str, Any] | Any) -> list[Plot]:
    """Return the plots that these results allow; the same results give the same bytes.

    About a third of a second each; a section that was refused has no plot.
    """
    return list(_drawn(dict(results)))


def _drawn(results: dict[str, Any]) -> Iterator[Plot]:
    for drawer in DRAWERS:
        plot = drawer(results)
        if plot is not None:
            yield plot
    yield from answers.shares(results)
