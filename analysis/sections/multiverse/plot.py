"""Plots of scores under every choice of exclusion rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.plots import canvas, dots
from analysis.plots.canvas import Plot
from analysis.plots.dots import DotMark, DotRow, Series, label
from analysis.plots.words import Scale, fold
from analysis.sections.multiverse import Multiverse, Universe
from analysis.sections.parts import enumerated, scale_of
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from raters.rating.rule_names import rule_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Worlds = Sequence[Universe]


def plot(results: Results) -> Plot | None:
    """Draw every system's score under every choice of exclusion rules, and the rules of each choice.

    With too many systems to distinguish, each has its own row, and the rules are not shown.
    """
    section = results.multiverse
    if isinstance(section, Refusal) or len(section.universes) < 2:
        return None
    scale = scale_of(results)
    worlds = sorted(section.universes, key=lambda world: (len(world.rules), world.rules))
    draw = _worlds if len(section.systems) <= dots.MOST_SERIES else _ranges
    return draw(section, worlds, scale)


def _worlds(section: Multiverse, worlds: Worlds, scale: Scale) -> Plot:
    """Draw choices from left to right: the systems above, and a stroke for each rule applied below."""
    looks = dots.looks_of([(name, _kind(name)) for name in section.systems])
    places = list(range(len(worlds)))
    rules = [fold(rule_name(rule), 30, lines=2) for rule in section.rules]
    tall = 0.16 * sum(1 + rule.count("\n") for rule in rules) + 0.1
    with canvas.sheet(1.5 + tall + 0.15 * (1 + len(looks) // 3)) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1.5, tall])
        for number_, look in enumerate(looks):
            line = [(at, world.scores[number_]) for at, world in zip(places, worlds, strict=True)]
            known = [(at, scale.factor * score) for at, score in line if score is not None]
            size = 3 if len(worlds) <= 40 else 1.5
            if known:
                top.plot(
                    *zip(*known, strict=True), look.shape, color=look.colour, ms=size, mew=0.6, label=look.name,
                    mfc="white" if look.is_hollow else look.colour,
                )  # fmt: skip
        on = [(at, down) for at, world in zip(places, worlds, strict=True) for down, rule in enumerate(section.rules)
              if rule in world.rules]  # fmt: skip
        if on:
            bottom.plot(*zip(*on, strict=True), "|", color=canvas.INK, ms=4, mew=0.9)
        bottom.set_yticks(range(len(rules)), rules, size=canvas.SMALL)
        bottom.set_ylim(len(rules) - 0.5, -0.5)
        bottom.set_xticks([])
        bottom.set_xlabel(_("{n} choices of exclusion rules,\na stroke where a rule is applied").format(n=len(worlds)))
        top.set_ylabel(scale.title)
        top.grid(axis="y", color=canvas.LINE, lw=0.4)
        top.tick_params(axis="x", length=0)
        top.tick_params(axis="y", labelsize=canvas.SMALL)
        for panel in (top, bottom):
            panel.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper left", ncols=3, frameon=False, handletextpad=0.2, columnspacing=1.0)
        return _finished(figure, section, worlds, scale)


def _ranges(section: Multiverse, worlds: Worlds, scale: Scale) -> Plot:
    """Draw a row per system, from its lowest to its highest score, with marks for no rule and for all rules."""
    looks = [
        Series(_("All rules; line: all choices"), canvas.INK, "o"),
        Series(_("No rule"), canvas.INK, "o", is_hollow=True),
    ]
    rows, bare = [], []
    for at in _by_score(worlds[-1].scores):
        name, none, every = section.systems[at], worlds[0].scores[at], worlds[-1].scores[at]
        ends = _ends(worlds, at)
        if ends is None or every is None:
            continue
        low, high = (scale.factor * end for end in ends)
        bare.append(None if none is None else scale.factor * none)
        text = f"{scale.show(ends[0])} … {scale.show(ends[1])}"
        rows.append(DotRow(label(name, _kind(name)), (DotMark(scale.factor * every, low, high),), text))
    with canvas.sheet(dots.height(rows, looks)) as figure:
        dots.draw(figure, rows, looks, axis=scale.title)
        # Larger and behind, so that both marks are visible at the same value.
        known = [(value, place) for place, value in enumerate(bare) if value is not None]
        if known:
            figure.axes[0].plot(*zip(*known, strict=True), "o", ms=5, mew=0.8, mec=canvas.INK, mfc="white", zorder=3.5)
        return _finished(figure, section, worlds, scale)


def _finished(figure: Figure, section: Multiverse, worlds: Worlds, scale: Scale) -> Plot:
    phrases = [
        _("{name} from {low} to {high}").format(
            name=label(name, _kind(name), most=40), low=scale.show(ends[0]), high=scale.show(ends[1])
        )
        for at, name in enumerate(section.systems)
        if (ends := _ends(worlds, at)) is not None
    ]
    words = _(
        "{score} under {n} choices of exclusion rules. {values}. The order of systems is that of all rules together in "
        "{same} of them."
    )
    alt = words.format(score=scale.title, n=len(worlds), values=enumerated(phrases), same=section.same_order)
    title = _("{score} and the exclusion rules").format(score=scale.name)
    return canvas.finish(figure, name="multiverse", title=title, alt=alt)


def _ends(worlds: Worlds, at: int) -> tuple[float, float] | None:
    """Return a system's lowest and highest score; None if it never has any rating."""
    known = [score for world in worlds if (score := world.scores[at]) is not None]
    return (min(known), max(known)) if known else None


def _by_score(scores: Sequence[float | None]) -> list[int]:
    """Return the systems' indices from the highest score to the lowest, those without a score last."""
    return sorted(range(len(scores)), key=lambda at: (scores[at] is None, -(scores[at] or 0.0)))


def _kind(name: str) -> str:
    return "human" if name == "human" else ""
