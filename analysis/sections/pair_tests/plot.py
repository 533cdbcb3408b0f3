"""The forest plot of two systems by text."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots import canvas, dots
from analysis.plots.canvas import Plot
from analysis.plots.dots import Band, DotMark, DotRow, Series, label
from analysis.plots.words import Scale, signed
from analysis.sections.contrasts.plot import axis_of
from analysis.sections.pair_tests import ByText
from analysis.sections.pair_tests.display import name_of
from analysis.sections.parts import enumerated, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal

# More texts would not fit on a page; the table has them all.
TEXTS = 60


def by_text(results: Results) -> Plot | None:
    """Draw the difference of two systems on each text, with the difference over all texts as a band."""
    section = results.pair_tests
    if isinstance(section, Refusal) or section.by_text is None or len(section.by_text.texts) > TEXTS:
        return None
    scale, pair = scale_of(results), section.by_text
    rows, phrases = [], []
    for text in pair.texts:
        value, low, high = scaled([text.difference, text.low, text.high], scale)
        shown = _written(text.difference, text.low, text.high, scale)
        rows.append(DotRow(label(text.text), (DotMark(float(value or 0), low, high),), shown))
        phrases.append(_("{name}: {values}").format(name=text.text, values=shown))
    names = {"first": name_of(pair.first), "second": name_of(pair.second)}
    looks = [Series(_("Difference"), canvas.INK, "o")]
    with canvas.sheet(dots.height(rows, looks, per=0.17) + 0.2) as figure:
        dots.draw(figure, rows, looks, axis=axis_of(scale), band=_over_all(results, pair, scale), zero=0.0)
        title = _("{first} less {second}, by text").format(**names)
        alt = _("{title}, with 95 % intervals over raters. {values}.").format(title=title, values=enumerated(phrases))
        return canvas.finish(figure, name="text_differences", title=title, alt=alt)


def _over_all(results: Results, pair: ByText, scale: Scale) -> Band | None:
    """Return the difference over all texts with the default interval."""
    pairs = () if isinstance(results.contrasts, Refusal) else results.contrasts.pairs
    for each in pairs:
        if {each.first, each.second} == {pair.first, pair.second}:
            side = scale.factor if each.first == pair.first else -scale.factor
            low, high = sorted((side * each.low, side * each.high))
            return Band(side * each.difference, low, high, _("All texts, 95 % interval over raters and texts"))
    return None


def _written(value: float, low: float | None, high: float | None, scale: Scale) -> str:
    shown = signed(scale.factor * value, scale.digits)
    if low is None or high is None:
        return shown
    return f"{shown} [{', '.join(signed(scale.factor * end, scale.digits) for end in (low, high))}]"
