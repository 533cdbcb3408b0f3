"""The plot of systems' strengths."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots import canvas, dots
from analysis.plots.canvas import Plot
from analysis.plots.dots import DotMark, DotRow, Series, label
from analysis.plots.words import number
from analysis.sections.parts import enumerated
from analysis.sections.preferences.display import named
from analysis.sections.results import Results
from analysis.sections.shared import Refusal

# More systems would not fit on a page; the table has them all.
MOST = 60


def strengths(results: Results) -> Plot | None:
    """Draw the strengths with their intervals, strongest first."""
    found = (results.preferences, results.sets)
    section = next((each for each in found if not isinstance(each, Refusal) and each.systems), None)
    if section is None or len(section.systems) > MOST:
        return None
    rows, phrases = [], []
    for each in section.systems:
        name = label(named(each.name), most=60)
        value = number(each.value, 2)
        text = (
            value
            if each.low is None or each.high is None
            else f"{value} [{number(each.low, 2)}, {number(each.high, 2)}]"
        )
        rows.append(DotRow(name, (DotMark(each.value, each.low, each.high),), text))
        phrases.append(_("{name}: {values}").format(name=name, values=text))
    looks = [Series(_("Strength"), canvas.INK, "o")]
    with canvas.sheet(dots.height(rows, [])) as figure:
        dots.draw(figure, rows, looks, axis=_("Strength (log-odds)"), zero=0.0)
        alt = _("Strengths of the systems with 95 % intervals. {values}.").format(values=enumerated(phrases))
        return canvas.finish(figure, name="strengths", title=_("Strengths of the systems"), alt=alt)
