"""Numbers in heat maps can be read on light and on dark pages."""

from __future__ import annotations

import numpy as np
from matplotlib import colors

from analysis.plots import canvas, grid

# Of the dark scheme (static/css/earshot.css).
SURFACE = np.array(colors.to_rgb("#1b212b"))
# hue-rotate(180deg), from the Filter Effects specification.
HALF_TURN = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])


def inverted(colour: np.ndarray) -> np.ndarray:
    """Return a colour as dark pages show it: `invert(1) hue-rotate(180deg)`, blended by `screen`."""
    turned = np.clip(HALF_TURN @ (1 - colour), 0, 1)
    return 1 - (1 - turned) * (1 - SURFACE)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """Return the contrast of two sRGB colours (WCAG 2.2)."""
    bright = [
        float(np.where(each <= 0.04045, each / 12.92, ((each + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])
        for each in (one, other)
    ]
    return (max(bright) + 0.05) / (min(bright) + 0.05)


def test_every_number_has_enough_contrast_on_light_and_dark_pages() -> None:
    row = list(np.linspace(0, 1, 21))
    with canvas.sheet(1.0) as figure:
        grid.draw(figure, ["A"], [str(n) for n in range(21)], [row], ends=(0.0, 1.0), show=str, sizes=[[5] * 21])
        (axes,) = figure.axes
        (image,) = axes.images
        cells = image.to_rgba(image.get_array())[0, :, :3]
        inks = [np.array(colors.to_rgb(text.get_color())) for text in axes.texts]
        places = [round(text.get_position()[0]) for text in axes.texts]
    assert len(inks) == 42
    for ink, place in zip(inks, places, strict=True):
        assert contrast(ink, cells[place]) >= 4.5
        assert contrast(inverted(ink), inverted(cells[place])) >= 4.5


def test_higher_values_have_distinctly_darker_cells() -> None:
    with canvas.sheet(1.0) as figure:
        grid.draw(figure, ["A"], ["1", "2", "3"], [[0.0, 0.5, 1.0]], ends=(0.0, 1.0), show=str)
        (image,) = figure.axes[0].images
        cells = image.to_rgba(image.get_array())[0, :, :3]
    assert contrast(cells[0], cells[1]) > 1.2
    assert contrast(cells[1], cells[2]) > 1.2
