"""Plots of differences and ranks."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots import canvas, dots, grid
from analysis.plots.canvas import Plot
from analysis.plots.dots import DotMark, DotRow, Series, label
from analysis.plots.words import Scale, fold, number, signed, width
from analysis.sections.parts import enumerated, listed, scale_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal

# More pairs would not fit on a page; the table has them all.
PAIRS = 45
PAIR = 22
# The height of one more line below the axis, in inches.
LINE = 0.12


def contrasts(results: Results) -> Plot | None:
    """Draw all differences with simultaneous intervals; significant ones are filled."""
    section = results.contrasts
    if isinstance(section, Refusal) or not section.pairs or len(section.pairs) > PAIRS:
        return None
    scale = scale_of(results)
    kinds = {tier.name: tier.kind for tier in section.tiers}
    rows, phrases = [], []
    for pair in section.pairs:
        first, second = (label(name, kinds.get(name, ""), most=60) for name in (pair.first, pair.second))
        values = [scale.factor * value for value in (pair.difference, pair.low_all, pair.high_all)]
        is_clear = pair.low_all > 0 or pair.high_all < 0
        shown = [signed(value, scale.digits) for value in values]
        text = f"{shown[0]} [{shown[1]}, {shown[2]}]"
        rows.append(
            DotRow(_between(first, second), (DotMark(values[0], values[1], values[2], 0 if is_clear else 1),), text)
        )
        phrases.append(_("{first} minus {second} {difference}").format(first=first, second=second, difference=text))
    looks = [
        Series(_("Differ"), canvas.INK, "o"),
        Series(_("No difference beyond chance"), canvas.INK, "o", is_hollow=True),
    ]
    below = _("95 % intervals adjusted for all {n} pairs").format(n=len(section.pairs))
    label_below = "\n".join([axis_of(scale), below])
    with canvas.sheet(dots.height(rows, looks, per=0.17) + LINE) as figure:
        dots.draw(figure, rows, looks, axis=label_below, zero=0.0)
        words = _("Differences in {score} with 95 % intervals that hold for all pairs together. {values}.")
        alt, title = (
            words.format(score=scale.name, values=enumerated(phrases)),
            _("Differences in {score}, adjusted for all pairs"),
        )
        return canvas.finish(figure, name="contrasts", title=title.format(score=scale.name), alt=alt)


def axis_of(scale: Scale) -> str:
    """Return the title of an axis of differences."""
    axis = _("Difference in {score}")
    if scale.unit:
        axis = (
            _("Difference in {score} (percentage points)") if scale.unit == "%" else _("Difference in {score} ({unit})")
        )
    return axis.format(score=scale.name, unit=scale.unit)


def ranks(results: Results) -> Plot | None:
    """Draw the probability of each rank of each system."""
    section = results.contrasts
    if isinstance(section, Refusal):
        return None
    tiers = [tier for tier in section.tiers if tier.ranks]
    if len(tiers) < 2:
        return None
    tiers.sort(key=lambda tier: sum(place * share for place, share in enumerate(tier.ranks)))
    names = [label(tier.name, tier.kind) for tier in tiers]
    cells = [[float(share) for share in tier.ranks] for tier in tiers]
    heads = [str(place) for place in range(1, len(cells[0]) + 1)]
    phrases = [
        _("{name}: {values}").format(
            name=label(tier.name, tier.kind, most=60),
            values=listed(
                [
                    _("rank {n} {share} %").format(n=place, share=_percent(share))
                    for place, share in enumerate(tier.ranks, start=1)
                    if share >= 0.005
                ]
            ),
        )
        for tier in tiers
    ]
    with canvas.sheet(grid.height(len(names), heads) - 0.1) as figure:
        alt = _("Probability of ranks. {values}.").format(values=enumerated(phrases))
        grid.draw(figure, names, heads, cells, ends=(0.0, 1.0), show=_percent, corner=_("Probability of each rank (%)"))
        return canvas.finish(figure, name="ranks", title=_("Probability of ranks"), alt=alt)


def _between(first: str, second: str) -> str:
    """Return “first − second”, on two lines if it is too long for one."""
    if width(first) + width(second) + 3 <= PAIR:
        return f"{first} − {second}"
    return f"{fold(first, PAIR - 2, lines=1)} −\n{fold(second, PAIR, lines=1)}"


def _percent(share: float) -> str:
    return number(100 * share, 0)
