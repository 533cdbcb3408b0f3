"""Layout and fonts of plots: one column wide, byte-identical each time, no state shared between plots."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OWN = "DejaVu Sans"
# Prefixes of font file names, preferred ones first: Chinese, Japanese, Korean, then scripts that DejaVu lacks.
KNOWN = (
    "notosanscjk", "notosanssc", "sourcehansans", "wqy-microhei", "wqy-zenhei", "droidsansfallback", "pingfang", "msyh",
    "simhei", "notosanstc", "notosansjp", "notosanskr", "nanumgothic", "notosansarabic-", "notosanshebrew-",
    "notosansdevanagari-", "notosansbengali-", "notosanstamil-", "notosansthai-", "unifont",
)  # fmt: skip
HEAVY = ("bold", "black", "light", "thin", "medium")
# The width of one column of a paper, and of both, in inches.
COLUMN, PAGE = 85 / 25.4, 174 / 25.4
DPI = 300
SIZE, SMALL = 7.0, 6.0
INK, QUIET, LINE = "#1c2330", "#586170", "#d8d5cc"
# Okabe and Ito's blue and vermilion (safe for colour-blind readers); in grey, shapes distinguish them.
COLOURS = {"human": "#0072b2", "": "#d55e00", "anchor": "#6b7280"}
SHAPES = {"human": "D", "": "o", "anchor": "^"}
# From light to dark, so that it also works in grey.
SHADES = "Blues"


@cache
def families() -> list[str]:
    """Return the fonts in the order in which they are tried for a character."""
    from matplotlib import font_manager

    names = [OWN]
    paths = sorted(font_manager.findSystemFonts(), key=lambda path: Path(path).name.lower())
    for start in KNOWN:
        for path in paths:
            name = Path(path).name.lower()
            if name.startswith(start) and not any(weight in name for weight in HEAVY):
                # Added explicitly: matplotlib's cached list lacks fonts installed after its first start.
                font_manager.fontManager.addfont(path)
                names.append(font_manager.FontProperties(fname=path).get_name())
                break
    return list(dict.fromkeys(names))


@cache
def _charts() -> list[Any]:
    from matplotlib import font_manager

    files = {font_manager.findfont(family, fallback_to_default=False) for family in families()}
    return [font_manager.get_font(file).get_charmap() for file in sorted(files)]


def lacking(text: str) -> str:
    """Return the characters of `text` that no installed font has, each once."""
    letters = sorted({letter for letter in text if letter.isprintable() and not letter.isspace()})
    return "".join(letter for letter in letters if not any(ord(letter) in chart for chart in _charts()))


@dataclass(frozen=True, slots=True)
class Plot:
    """A finished plot: SVG text and PNG bytes; `alt` describes it in words, with the numbers."""

    name: str
    title: str
    alt: str
    svg: str
    png: bytes


@contextmanager
def sheet(height: float, width: float = COLUMN) -> Iterator[Figure]:
    """Yield a figure of this size in inches; the settings apply only inside the block."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(settings()):
        figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02)  # type: ignore[union-attr,call-arg]
        yield figure


def settings() -> dict[Any, Any]:
    return {
        "font.family": families(),
        "font.size": SIZE,
        "axes.labelsize": SIZE,
        "axes.titlesize": SIZE,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SIZE,
        "legend.fontsize": SMALL,
        "axes.edgecolor": QUIET,
        "axes.labelcolor": INK,
        "xtick.color": QUIET,
        "ytick.color": INK,
        "text.color": INK,
        "axes.linewidth": 0.5,
        "xtick.major.width": 0.5,
        "xtick.major.size": 2,
        "ytick.major.size": 0,
        "svg.hashsalt": "earshot",
        # Otherwise a name with two dollar signs would become a formula.
        "text.parse_math": False,
        "text.usetex": False,
        "axes.formatter.use_mathtext": False,
        "axes.unicode_minus": True,
    }


def finish(figure: Figure, *, name: str, title: str, alt: str) -> Plot:
    """Return the plot as SVG and PNG, without dates or versions in the files. Call it inside the block of `sheet`.

    Text becomes outlines, so that a plot looks the same everywhere. If fonts for some characters are missing here, it
    stays text and uses the reader's fonts.
    """
    import warnings

    from matplotlib import rc_context
    from matplotlib.text import Text

    letters = "".join(text.get_text() for text in figure.findobj(Text))
    fonttype = "none" if lacking(letters) else "path"
    with rc_context({"svg.fonttype": fonttype}), warnings.catch_warnings():
        # For characters without a font, the PNG has a box, and the report names the font to install.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        svg, png = io.StringIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", metadata={"Software": None})
    return Plot(name, title, alt, _labelled(svg.getvalue(), alt), png.getvalue())


def plain(axes: Axes) -> None:
    """Remove the frame and tick marks, which carry no information."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _labelled(svg: str, alt: str) -> str:
    """Add the description for screen readers, as the first element."""
    from xml.sax.saxutils import escape, quoteattr

    start = svg.index("<svg")
    end = svg.index(">", start)
    return f'{svg[start:end]} role="img" aria-label={quoteattr(alt)}>\n <title>{escape(alt)}</title>{svg[end + 1 :]}'
