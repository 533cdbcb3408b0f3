"""Paragraphs of a report: whole sentences in templates, and the lists that stand in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.template import Context
from django.template.loader import get_template
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

# Chinese puts no space behind the end of a sentence, nor between a closing quotation mark and what follows.
WIDE_END = re.compile(r"(?<=[。！？；：，）]) |(?<=”) (?=[^\x00-\x7f])")


def paragraph(name: str, **values: Any) -> str:
    """Return the sentences of `templates/analysis/report/methods/<name>.txt` as one paragraph of plain text."""
    template: Any = get_template(f"analysis/report/methods/{name}.txt")
    text = " ".join(template.template.render(Context(values, autoescape=False)).split())
    return WIDE_END.sub("", text)


def listed(items: Sequence[str]) -> str:
    """Return short items in a row: a, b, c."""
    return pgettext("between items of a list", ", ").join(items)


def enumerated(items: Sequence[str]) -> str:
    """Return items that may hold commas in a row: a; b; c."""
    return pgettext("between longer items of a list", "; ").join(items)


def any_of(items: Sequence[str]) -> str:
    """Return items of which one is enough: a, b or c."""
    if len(items) < 2:
        return "".join(items)
    return _("{items} or {last}").format(items=listed(items[:-1]), last=items[-1])
