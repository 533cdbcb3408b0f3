"""How several series on one plot are told apart: colour, shape, and filled or hollow."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from analysis.plots import canvas
from analysis.plots.dots import Look, label

# Okabe and Ito (2008) without yellow, which is too light for thin lines; the order alternates dark and light.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#6b7280")
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p")
MOST = len(PALETTE)


def kinds() -> list[Look]:
    """Return the looks of systems, human speech and anchors, in this order."""
    names = {"": _("Systems"), "human": _("Human"), "anchor": _("Anchors")}
    return [Look(name, canvas.COLOURS[kind], canvas.SHAPES[kind], kind == "anchor") for kind, name in names.items()]


def looks(names: Sequence[tuple[str, str]]) -> list[Look]:
    """Return a look for each (name, kind), at most `MOST` of them; human speech is the same on every plot."""
    places = iter(range(1 if any(kind == "human" for _, kind in names) else 0, MOST))
    return [
        Look(label(name, kind, most=40), PALETTE[at], SHAPES[at], at % 2 == 1)
        for (name, kind), at in ((pair, 0 if pair[1] == "human" else next(places)) for pair in names)
    ]
