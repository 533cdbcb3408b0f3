"""The plot of the posterior."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots import canvas, dots
from analysis.plots.canvas import Plot
from analysis.plots.dots import DotMark, DotRow, label
from analysis.plots.words import number
from analysis.sections.parts import enumerated, scale_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal


def posterior(results: Results) -> Plot | None:
    """Draw the posterior means of systems and of the SDs, with highest-density intervals."""
    bayes = results.every_model.bayes
    if isinstance(bayes, Refusal):
        return None
    scale = scale_of(results)
    shown = sorted(bayes.systems, key=lambda row: -row.mean)
    listed = [(label(row.name, row.kind), row, ("", "human", "anchor").index(row.kind)) for row in shown]
    terms = {
        "rater": _("SD, raters"),
        "rater:system": _("SD, rater × system"),
        "residual": _("SD, residual"),
        "clip": _("SD, clips"),
    }
    listed += [
        (terms.get(name, _("SD, {term}").format(term=name)), row, 2)
        for name, row in bayes.sds.items()
        if row is not None
    ]
    rows = []
    for name, row, look in listed:
        mean, low, high = (scale.factor * value for value in (row.mean, row.low, row.high))
        text = f"{number(mean, scale.digits + 1)} [{number(low, scale.digits + 1)}, {number(high, scale.digits + 1)}]"
        rows.append(DotRow(name, (DotMark(mean, low, high, look),), text))
    with canvas.sheet(dots.height(rows, [])) as figure:
        dots.draw(figure, rows, dots.looks_of_kinds(), axis=scale.title, is_named=False)
        values = enumerated([f"{row.label.replace(chr(10), ' ')} {row.text}" for row in rows])
        alt = _("Posterior means with 95 % highest-density intervals. {values}.").format(values=values)
        title = _("Posterior of the mixed model of {score}").format(score=scale.name)
        return canvas.finish(figure, name="posterior", title=title, alt=alt)
