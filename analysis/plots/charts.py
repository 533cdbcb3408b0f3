"""Positions on a chart, in percent, formatted for SVG."""

from __future__ import annotations

from dataclasses import dataclass

from core.text.numbers import fixed, rounded
from studies.task_types.base import shown_factor

# A scale is divided into the first number of parts with whole-number ticks: 0–100 by twenties, 1–5 and −3…+3 by ones.
PARTS = (5, 4, 6, 3)


@dataclass(frozen=True, slots=True)
class Span:
    """An interval on the axis, formatted for SVG; at least 0.1 % wide, so that it stays visible."""

    start: str
    end: str
    width: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled tick on the axis."""

    at: str
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A score's scale, from its lowest to its highest value; `sign` is −1 where less is better."""

    low: float
    high: float
    unit: str = ""
    sign: int = 1

    @property
    def factor(self) -> int:
        return shown_factor(self.unit, self.high)

    @property
    def width(self) -> float:
        return self.factor * (self.high - self.low)

    @property
    def digits(self) -> int:
        return 2 if self.width <= 10 else 1

    @property
    def zero(self) -> str:
        """The position of zero, from which two-sided scores are read; empty if zero is not inside the scale."""
        return self.at(0) if self.low < 0 < self.high else ""

    def at(self, value: float) -> str:
        """Return a value's position in percent; always with a decimal point, as SVG needs."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"

    def span(self, low: float, high: float) -> Span:
        width = 100 * (high - low) / (self.high - self.low)
        return Span(self.at(low), self.at(high), f"{max(width, 0.1):.2f}%")

    def ticks(self) -> list[Tick]:
        """Return evenly spaced ticks, at whole numbers if the scale allows."""
        whole_steps = [parts for parts in PARTS if self.width >= parts and self.width % parts == 0]
        parts, digits = (whole_steps[0], 0) if whole_steps else (4, self.digits)
        places = [self.low + part * (self.high - self.low) / parts for part in range(parts + 1)]
        return [Tick(self.at(place), self._written(place, digits)) for place in places]

    def show(self, value: float | None, finer: int = 0) -> str:
        """Return a value in the page's language, with `finer` more digits for tables; a dash for None."""
        return "–" if value is None else self._written(value, self.digits + finer)

    def _written(self, value: float, digits: int) -> str:
        number = rounded(self.factor * value, digits)
        if self.low < 0:
            # A true minus, as wide as the plus; no sign if the value rounds to zero.
            sign = "" if float(fixed(self.factor * value, digits)) == 0 else "+" if value > 0 else "−"
            number = sign + number.lstrip("-")
        unit = f" {self.unit}" if self.unit == "%" else self.unit
        return f"{number}{unit}"

    def interval(self, low: float | None, high: float | None, finer: int = 0) -> str:
        """Return both ends, which stay in one line; a dash without an interval."""
        # The word joiner: browsers break lines between a dash and a no-break space.
        return "–" if low is None else f"{self.show(low, finer)}\u00a0–\u2060\u00a0{self.show(high, finer)}"
