"""Dots with intervals on a common scale, used by most plots, and the styles of their series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.plots import canvas
from analysis.plots.words import fold, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008) without yellow, which is too light for thin lines; dark and light alternate.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#6b7280")
SERIES_SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p")
MOST_SERIES = len(PALETTE)


@dataclass(frozen=True, slots=True)
class Series:
    """The style of a series; a hollow mark is filled with white."""

    name: str
    colour: str
    shape: str
    is_hollow: bool = False


@dataclass(frozen=True, slots=True)
class DotMark:
    """A value with its interval, if it has one; `look` is the index of its series."""

    value: float
    low: float | None = None
    high: float | None = None
    look: int = 0


@dataclass(frozen=True, slots=True)
class DotRow:
    """A labelled row of marks, with a text at its end."""

    label: str
    marks: tuple[DotMark, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """A reference: a line across all rows, with its interval as a band."""

    value: float
    low: float | None
    high: float | None
    name: str


ROW, MARK, FOOT, SPREAD, WIDE = 0.19, 0.085, 0.42, 0.5, 0.75


def height(rows: Sequence[DotRow], looks: Sequence[Series], *, per: float = ROW, each: float = MARK) -> float:
    """Return the height of a plot in inches: `per` for each row, or `each` for each of its marks if that is more."""
    lines = sum(max(per * (1 + row.label.count("\n") * 0.6), each * len(row.marks)) for row in rows)
    return lines + FOOT + (0.2 if len(looks) > 1 else 0.0)


def draw(
    figure: Figure,
    rows: Sequence[DotRow],
    looks: Sequence[Series],
    *,
    axis: str,
    ends: tuple[float, float] | None = None,
    band: Band | None = None,
    zero: float | None = None,
    is_named: bool = True,
    is_ruled: bool = False,
) -> None:
    """Draw the rows from top to bottom; `zero` is a reference line, `ends` replaces the data's range of the axis.

    `is_named` adds a legend above; `is_ruled` adds lines between the rows.
    """
    axes = figure.subplots()
    places = range(len(rows))
    for place, row in zip(places, rows, strict=True):
        for at, mark in enumerate(row.marks):
            shift = (WIDE if is_ruled else SPREAD) * ((at + 0.5) / len(row.marks) - 0.5)
            _mark(axes, mark, place + shift, looks[mark.look])
    if band is not None:
        if band.low is not None and band.high is not None:
            axes.axvspan(band.low, band.high, color=canvas.COLOURS["human"], alpha=0.14, lw=0, zorder=0)
        axes.axvline(band.value, color=canvas.COLOURS["human"], lw=0.8, ls=(0, (3, 2)), zorder=1)
    if zero is not None:
        axes.axvline(zero, color=canvas.QUIET, lw=0.8, zorder=1)
    axes.set_yticks(list(places), [row.label for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    if ends is not None:
        margin = 0.02 * (ends[1] - ends[0])
        axes.set_xlim(ends[0] - margin, ends[1] + margin)
    # Steps of a quarter have labels of three digits, which touch each other.
    axes.locator_params(axis="x", steps=[1, 2, 5, 10])
    axes.set_xlabel(axis)
    for place in places[1:] if is_ruled else ():
        axes.axhline(place - 0.5, color=canvas.LINE, lw=0.4, zorder=0)
    axes.grid(axis="x", color=canvas.LINE, lw=0.4, zorder=0)
    axes.set_axisbelow(True)
    canvas.plain(axes)
    _ends(axes, rows)
    legend_looks = looks if is_named and len(looks) > 1 else ()
    if legend_looks or band is not None:
        _legend(figure, legend_looks, band)


def label(name: str, kind: str = "", *, most: int = 17) -> str:
    """Return a group's name for an axis, folded; an anchor is marked as one."""
    return fold(_called(name, kind), most)


def _called(name: str, kind: str) -> str:
    if kind == "human":
        return _("Human")
    return _("{name} (anchor)").format(name=name) if kind == "anchor" else name


def shown(value: float, digits: int) -> str:
    """Return a number that is already in the units of the axis."""
    return number(value, digits)


def _mark(axes: Axes, mark: DotMark, place: float, look: Series) -> None:
    if mark.low is not None and mark.high is not None:
        axes.plot([mark.low, mark.high], [place, place], color=look.colour, lw=1.2, solid_capstyle="butt", zorder=3)
    axes.plot(
        [mark.value], [place], look.shape, ms=3.6, mew=0.8, mec=look.colour,
        mfc="white" if look.is_hollow else look.colour, zorder=4,
    )  # fmt: skip


def _ends(axes: Axes, rows: Sequence[DotRow]) -> None:
    if not any(row.text for row in rows):
        return
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(rows)), [row.text for row in rows])
    right.tick_params(length=0, labelsize=canvas.SMALL)
    right.spines["right"].set_visible(False)


def _legend(figure: Figure, looks: Sequence[Series], band: Band | None) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=look.colour, marker=look.shape, ms=3.6, mew=0.8, lw=1.2,
               mfc="white" if look.is_hollow else look.colour, label=look.name)
        for look in looks
    ]  # fmt: skip
    if band is not None:
        handles.append(Line2D([], [], color=canvas.COLOURS["human"], lw=0.8, ls=(0, (3, 2)), label=band.name))
    figure.legend(
        handles=handles, loc="outside upper left", ncols=min(3, len(handles)), frameon=False, handlelength=1.6,
        columnspacing=1.2, borderaxespad=0.2,
    )  # fmt: skip


def looks_of_kinds() -> list[Series]:
    """Return the styles of systems, human speech and anchors, in this order."""
    names = {"": _("Systems"), "human": _("Human"), "anchor": _("Anchors")}
    return [Series(name, canvas.COLOURS[kind], canvas.SHAPES[kind], kind == "anchor") for kind, name in names.items()]


def looks_of(names: Sequence[tuple[str, str]]) -> list[Series]:
    """Return a style for each (name, kind), at most `MOST_SERIES`; human speech has the same on every plot."""
    places = iter(range(1 if any(kind == "human" for _, kind in names) else 0, MOST_SERIES))
    return [
        Series(label(name, kind, most=40), PALETTE[at], SERIES_SHAPES[at], at % 2 == 1)
        for (name, kind), at in ((pair, 0 if pair[1] == "human" else next(places)) for pair in names)
    ]
