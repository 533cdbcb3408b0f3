"""Read input of clients: JSON of limited depth, and whole numbers that a column can store."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

# More levels than anything that is sent here has. What nests deeper may be read and then break whatever walks through
# it: validation, the database's driver, the answer that repeats it.
DEEPEST = 50
# Bytes of an uploaded table that a web process reads as a whole; and of one that comes back with the confirmation, as a
# field of the form: Django takes 2.5 MB of fields.
LARGEST_TABLE, LARGEST_CONFIRMED = 10 << 20, 2 << 20
# Every number of so few digits fits the databases' largest column.
WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)
# Escapes of what nobody types and no database stores: a NUL, or half of a surrogate pair, such as half an emoji. Whole
# pairs are found, too, and kept.
UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
HALF = re.compile("[\ud800-\udfff]")


def json_value(content: bytes | str, *, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Return the value of a JSON text; raises `ValueError` when it is none, or nests deeper than `DEEPEST`."""
    try:
        value = json.loads(content, parse_constant=parse_constant)
    except RecursionError:
        raise ValueError("The JSON nests too deep.") from None
    if _brackets(content) > DEEPEST and _nests_too_deep(value):
        raise ValueError("The JSON nests too deep.")
    return value


def json_object(content: str) -> dict[str, Any]:
    """Return what a JSON text says of its fields, as a database can store it; raises `ValueError` for other JSON."""
    value = json_value(content)
    if not isinstance(value, dict):
        raise ValueError("The JSON is no object.")
    return dict(_storable(value)) if UNSTORABLE.search(content) else value


def too_large(size: int | None, most: int = LARGEST_TABLE) -> str:
    """Return a sentence for a table of so many bytes; empty where it can be read."""
    return _("This list is larger than {limit} MB.").format(limit=most >> 20) if (size or 0) > most else ""


def is_unstorable(text: str) -> bool:
    """Return whether no database can store a text: it has a NUL, or half of a surrogate pair."""
    return "\0" in text or HALF.search(text) is not None


def _storable(value: Any) -> Any:
    """Leave out NULs, and replace halves of surrogate pairs; keep the rest."""
    if isinstance(value, str):
        return HALF.sub("\ufffd", value.replace("\0", ""))
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(each) for key, each in value.items()}
    return value


def whole_number(text: str) -> int | None:
    """Return a number that a client wrote in digits; None for anything else, or if no column can store it."""
    return int(text) if WHOLE.fullmatch(text) else None


def _brackets(content: bytes | str) -> int:
    """Count brackets that may open a level: nearly all input has too few to need a closer look."""
    if isinstance(content, str):
        return content.count("{") + content.count("[")
    return content.count(b"{") + content.count(b"[")


def _nests_too_deep(value: Any) -> bool:
    level = [value]
    for _depth in range(DEEPEST + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True
