"""Stored JSON for people: one line for each value, as "label: value"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.text.numbers import decimals

INDENT = "  "
# Names stored with batches and verdicts.
LABELS = {
    "flawed_right": gettext_lazy("flawed traps answered right"),
    "flawed": gettext_lazy("flawed traps heard"),
    "human_right": gettext_lazy("human traps answered right"),
    "humans": gettext_lazy("human traps heard"),
    "tasks": gettext_lazy("tasks answered"),
    "reviews": gettext_lazy("numbers of the reviews"),
    "decided": gettext_lazy("reasons decided on"),
    "inconsistent": gettext_lazy("inconsistent reasons"),
    "limit": gettext_lazy("highest share of inconsistent reasons"),
    "reason": gettext_lazy("why"),
    "revoked_by": gettext_lazy("revoked by"),
}


def readable(value: Any) -> SafeString:
    """Return a value as text of several lines; numbers have at most three decimals."""
    return format_html('<pre class="frozen">{}</pre>', "\n".join(_lines(value)))


def in_a_line(value: Any) -> str:
    """Return a value in one line: "label: value, label: value"."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_label(key)}: {in_a_line(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(in_a_line, value))
    return _word(value)


def _lines(value: Any, indent: str = "") -> Iterator[str]:
    is_named = isinstance(value, Mapping)
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value, 1) if isinstance(value, list) else ()
    for key, each in pairs:
        is_flat = not isinstance(each, Mapping | list) or (isinstance(each, list) and not any(map(_is_nested, each)))
        label = _label(key) if is_named else str(key)
        if is_flat:
            yield f"{indent}{label}: {in_a_line(each)}"
        else:
            yield f"{indent}{label}:"
            yield from _lines(each, indent + INDENT)
    if not isinstance(value, Mapping | list):
        yield indent + _word(value)


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping | list)


def _label(key: Any) -> str:
    return str(LABELS.get(key, str(key).replace("_", " ")))


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None:
        return "–"
    return decimals(value).rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
