"""The plot of the flow of participants."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from analysis.plots import canvas
from analysis.plots.canvas import Plot
from analysis.plots.words import fold
from analysis.sections.participants import Step
from analysis.sections.parts import enumerated
from analysis.sections.results import Results
from analysis.sections.shared import Refusal

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# In inches: the height of a line, the padding of a box, and the gap between two boxes.
LINE, AROUND, GAP = 0.135, 0.1, 0.14
# (left, width) of boxes in inches: stages, exits and entries next to them, and stages in a flow without any.
STAGE, ASIDE, ALONE = (0.1, 1.25), (1.5, 1.78), (0.1, 2.4)
LETTERS = {STAGE: 19, ASIDE: 31, ALONE: 40}
SIDES = ("in", "out")
Steps = Sequence[Step]


def flow(results: Results) -> Plot | None:
    """Draw the flow of participants: stages from top to bottom, exits and entries next to them."""
    participants = results.participants
    if isinstance(participants, Refusal) or not participants.steps:
        return None
    steps = participants.steps
    main = STAGE if any(map(_kind, steps)) else ALONE
    boxes = [(kind, list(some)) for kind, some in groupby(steps, key=lambda step: _kind(step) or step.key)]
    heights = [_height(some, ASIDE if kind in SIDES else main) for kind, some in boxes]
    middle, high = main[0] + main[1] / 2, sum(heights) + GAP * len(boxes)
    with canvas.sheet(high + 0.05) as figure:
        axes = figure.subplots()
        axes.set_xlim(0, canvas.COLUMN)
        axes.set_ylim(high, 0)
        axes.axis("off")
        top, above = GAP / 2, None
        for (kind, some), tall in zip(boxes, heights, strict=True):
            _box(axes, some, ASIDE if kind in SIDES else main, top)
            line, side = (middle, top + tall / 2), (ASIDE[0], top + tall / 2)
            if kind in SIDES:
                _arrow(axes, *((side, line) if kind == "in" else (line, side)))
            else:
                if above is not None:
                    _arrow(axes, (middle, above), (middle, top))
                above = top + tall
            top += tall + GAP
        values = enumerated([f"{step.label} {step.count}" for step in steps])
        alt = _("Flow of participants. {values}.").format(values=values)
        return canvas.finish(figure, name="flow", title=_("Participants"), alt=alt)


def _kind(step: Step) -> str:
    """Return "in" for an entry, "out" for an exit, "" for a stage."""
    return "in" if step.is_entry else "out" if step.is_exit else ""


def _words(step: Step, box: tuple[float, float]) -> str:
    return fold(step.label[:1].upper() + step.label[1:], LETTERS[box])


def _height(steps: Steps, box: tuple[float, float]) -> float:
    return AROUND + LINE * sum(1 + _words(step, box).count("\n") for step in steps)


def _box(axes: Axes, steps: Steps, box: tuple[float, float], top: float) -> None:
    """Draw steps in one box with their labels and numbers; exits and entries get a dashed frame."""
    from matplotlib.patches import FancyBboxPatch

    left, width = box
    is_aside = bool(_kind(steps[0]))
    style: dict[str, Any] = {"boxstyle": "round,pad=0,rounding_size=0.04", "fc": "white", "lw": 0.8}
    style |= {"ec": canvas.QUIET, "ls": (0, (3, 2))} if is_aside else {"ec": canvas.COLOURS["human"]}
    axes.add_patch(FancyBboxPatch((left, top), width, _height(steps, box), **style))
    at = top + AROUND / 2
    for step in steps:
        words = _words(step, box)
        tall = LINE * (1 + words.count("\n"))
        axes.text(left + 0.06, at + tall / 2, words, va="center", size=canvas.SMALL)
        axes.text(left + width - 0.06, at + tall / 2, f"{step.count:,}", va="center", ha="right")
        at += tall


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    line = {"arrowstyle": "-|>", "lw": 0.6, "color": canvas.QUIET}
    axes.annotate("", end, start, arrowprops={**line, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 5})
