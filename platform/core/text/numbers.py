"""Numbers in the page's language; a dash stands for one that is not known."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite
from typing import Literal

from django.utils.formats import number_format
from django.utils.translation import gettext as _

UNKNOWN = "–"
BEFORE_UNITS = re.compile(r"(?<=\d) (?=(%|s|dB|kHz|LU)(?!\w))")
# Templates give "" for an attribute of None.
Number = float | Literal[""] | None


# Decimals that decide how a number is rounded: later ones depend on the order of sums, so that the same mean would end
# in 7 on one page and in 8 on another.
SAFE = 8


def fixed(value: float, digits: int) -> str:
    """Round to `digits` decimals, halves to the even digit; with a point and a hyphen in every language."""
    if not isfinite(value):
        return str(value)
    return f"{Decimal(f'{value:.{digits + SAFE}f}').quantize(Decimal(1).scaleb(-digits)):f}"


def rounded(value: float, digits: int) -> str:
    """Format a number with `digits` decimals in the page's language."""
    return number_format(Decimal(fixed(value, digits)), digits)


def whole(value: Number) -> str:
    """Format a count, with thousands separators."""
    return UNKNOWN if value is None or value == "" else number_format(value, 0, force_grouping=True)


def tenths(value: Number) -> str:
    return UNKNOWN if value is None or value == "" else rounded(value, 1)


def duration(seconds: float) -> str:
    """Format a time in seconds up to a minute, then in minutes; tenths below ten minutes."""
    if round(seconds) < 60:
        return _("{n} s").format(n=rounded(seconds, 0))
    minutes = seconds / 60
    return _("{n} min").format(n=rounded(minutes, 1 if minutes < 10 else 0))


def percent(part: Number, digits: int = 0) -> str:
    """Format a share in [0, 1] as a percentage."""
    return UNKNOWN if part is None or part == "" else f"{rounded(100 * part, digits)} %"


def unbroken(text: str) -> str:
    """Replace the spaces between a number and its unit by no-break spaces."""
    return BEFORE_UNITS.sub("\N{NO-BREAK SPACE}", text)


def decimals(value: Number, digits: int = 3) -> str:
    """Format a number with a true minus sign."""
    return UNKNOWN if value is None or value == "" else rounded(value, digits).replace("-", "−")


def general(value: float) -> str:
    """Format a setting's number without trailing zeros, with a true minus sign."""
    return f"{value:g}".replace("-", "−")


def signed_percent(part: float) -> str:
    """Format a difference of shares with its sign, a true minus."""
    sign = "+" if part > 0 else "−" if part < 0 else ""
    return f"{sign}{percent(abs(part))}"


def points(part: float) -> str:
    """Format a difference of shares in percentage points."""
    return rounded(100 * part, 0)
