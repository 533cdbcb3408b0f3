"""Parts of an analysis's results, for whoever draws or prints them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MISSING = "This was not computed."


def section(results: Mapping[str, Any] | Any, *path: str) -> dict[str, Any]:
    """Return a section of results, or one inside it; {"refused": why} where it was refused or never computed."""
    found: Any = results
    for name in path:
        if "refused" in found:
            break
        found = found.get(name)
        if not found:
            return {"refused": MISSING}
    return dict(found)


def is_there(found: Mapping[str, Any]) -> bool:
    """Say whether a section holds figures."""
    return "refused" not in found
