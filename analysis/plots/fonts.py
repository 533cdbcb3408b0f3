"""Which letters can be drawn: matplotlib's own fonts, and those of this machine for other scripts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

OWN = "DejaVu Sans"
# Beginnings of file names, the preferred ones first: Chinese, Japanese and Korean, then scripts that DejaVu lacks.
KNOWN = (
    "notosanscjk", "notosanssc", "sourcehansans", "wqy-microhei", "wqy-zenhei", "droidsansfallback", "pingfang", "msyh",
    "simhei", "notosanstc", "notosansjp", "notosanskr", "nanumgothic", "notosansarabic-", "notosanshebrew-",
    "notosansdevanagari-", "notosansbengali-", "notosanstamil-", "notosansthai-", "unifont",
)  # fmt: skip
HEAVY = ("bold", "black", "light", "thin", "medium")


@cache
def families() -> list[str]:
    """Return the fonts to look a letter up in, in this order."""
    from matplotlib import font_manager

    names = [OWN]
    paths = sorted(font_manager.findSystemFonts(), key=lambda path: Path(path).name.lower())
    for start in KNOWN:
        for path in paths:
            name = Path(path).name.lower()
            if name.startswith(start) and not any(weight in name for weight in HEAVY):
                # Named to matplotlib by hand, which keeps a list of fonts from its first day.
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
    """Return the letters of `text` that no font here has, each once."""
    letters = sorted({letter for letter in text if letter.isprintable() and not letter.isspace()})
    return "".join(letter for letter in letters if not any(ord(letter) in chart for chart in _charts()))
