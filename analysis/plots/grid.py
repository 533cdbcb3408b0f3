"""A grid of shaded cells with their numbers; systems are rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from analysis.plots import canvas
from analysis.plots.words import fold

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL, HEAD = 0.2, 0.55
# For the line with the number of ratings.
SIZES = 0.1
# Of the cells' numbers.
INK = "black"


def height(rows: int, heads: Sequence[str], *, has_sizes: bool = False) -> float:
    """Return the height of a grid, in inches."""
    return (CELL + SIZES * has_sizes) * rows + HEAD + 0.1 * max((head.count("\n") for head in heads), default=0)


def draw(
    figure: Figure,
    rows: Sequence[str],
    heads: Sequence[str],
    cells: Sequence[Sequence[float | None]],
    *,
    ends: tuple[float, float],
    show: Callable[[float], str],
    starred: Collection[tuple[int, int]] = (),
    corner: str = "",
    sizes: Sequence[Sequence[int | None]] = (),
) -> None:
    """Draw the cells, from light at the lower of `ends` to darker at the higher; None is an empty cell with a dash.

    `starred` are the (row, column) of numbers with a star. `sizes` are numbers of ratings, below the cells' numbers.
    """
    axes = figure.subplots()
    low, high = ends
    values = np.array([[np.nan if cell is None else cell for cell in line] for line in cells], dtype=float)
    # Only the shades from 0.08 to 0.48: black on them keeps a contrast of 4.5, also inverted on dark pages.
    width = (high - low) or 1.0
    bottom, top = low - 0.2 * width, high + 1.3 * width
    axes.imshow(values, cmap=canvas.SHADES, vmin=bottom, vmax=top, aspect="auto", interpolation="nearest")
    size = canvas.SIZE if len(heads) <= 6 else canvas.SMALL - 0.5 * (len(heads) > 9)
    for down, line in enumerate(cells):
        for across, cell in enumerate(line):
            if cell is None:
                axes.text(across, down, "–", ha="center", va="center", color=canvas.QUIET, size=size)
                continue
            text = show(cell) + "*" * ((down, across) in starred)
            axes.text(across, down - 0.15 * bool(sizes), text, ha="center", va="center", size=size, color=INK)
            if sizes:
                written = f"n {sizes[down][across]}"
                axes.text(across, down + 0.27, written, ha="center", va="center", size=0.7 * size, color=INK)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(range(len(heads)), heads)
    axes.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, length=0, colors=canvas.INK)
    axes.set_xticks(np.arange(-0.5, len(heads)), minor=True)
    axes.set_yticks(np.arange(-0.5, len(rows)), minor=True)
    axes.grid(which="minor", color="white", lw=1)
    axes.tick_params(which="minor", length=0)
    axes.tick_params(axis="y", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if corner:
        axes.set_xlabel(corner)


def heads(names: Sequence[str], width: float) -> list[str]:
    """Return column headings, folded to fit; `width` is that of all columns, in inches."""
    most = max(5, int(width / max(1, len(names)) / 0.058))
    return [fold(name, most, lines=3) for name in names]
