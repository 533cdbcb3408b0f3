"""Text and numbers on plots: scales, folded names, widths."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from core.text.numbers import fixed
from studies.task_types.base import shown_factor


@dataclass(frozen=True, slots=True)
class Scale:
    """A score's axis: its name, ends and number format."""

    name: str
    low: float
    high: float
    unit: str = ""

    @property
    def factor(self) -> float:
        return float(shown_factor(self.unit, self.high))

    @property
    def digits(self) -> int:
        """The number of decimals that distinguishes scores of this scale."""
        width = self.factor * (self.high - self.low)
        return 1 if width > 10 else 2

    @property
    def title(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def show(self, value: float, finer: int = 0) -> str:
        """Return a value, with `finer` more digits as in tables."""
        return number(self.factor * value, self.digits + finer)

    def interval(self, low: float | None, high: float | None, finer: int = 0) -> str:
        return "" if low is None or high is None else f"[{self.show(low, finer)}, {self.show(high, finer)}]"


def number(value: float, digits: int) -> str:
    """Return a number with a true minus, and none before a zero."""
    written = fixed(value, digits)
    return written.replace("-", "−") if float(written) else written.lstrip("-")


def signed(value: float, digits: int) -> str:
    """Return a difference with its sign, and none before a zero."""
    written = number(value, digits)
    return f"+{written}" if value > 0 and float(fixed(value, digits)) else written


def width(text: str) -> int:
    """Return the width of a text in Latin letters: Chinese ones count twice, combining marks count zero."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def clean(text: str) -> str:
    """Return text on one line, without characters that can't be drawn."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def fold(text: str, most: int = 18, lines: int = 2) -> str:
    """Break text into at most `lines` lines of at most `most` letters' width; the rest is cut with an ellipsis."""
    pieces: list[str] = []
    rest = clean(text)
    while rest and len(pieces) < lines:
        head = _head(rest, most)
        pieces.append(head.rstrip())
        rest = rest[len(head) :].lstrip()
    if rest:
        pieces[-1] = _head(pieces[-1], most - 1, whole=False).rstrip() + "…"
    return "\n".join(pieces)


def _head(text: str, most: int, *, whole: bool = True) -> str:
    """Return the longest start of the text that fits, if possible up to a space or hyphen."""
    if width(text) <= most:
        return text
    end = 0
    while width(text[: end + 1]) <= most:
        end += 1
    cut = max(text.rfind(" ", 0, end + 1), text.rfind("-", 0, end) + 1)
    return text[:cut] if whole and cut > most // 3 else text[:end]
