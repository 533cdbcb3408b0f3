"""The return URL follows the crowd source, unless the study has one of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies import hooks


def usual_url(source: str) -> str:
    """Return the return URL of a crowd source; empty if it has none."""
    return next((each.return_url for each in hooks.crowd_sources if each.name == source), "")


def with_return_url(draft: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dotted changes; those of the source also replace the former source's return URL by the new one's."""
    crowd = draft["crowd"]
    source = changes.get("crowd.source", crowd["source"])
    if source == crowd["source"] or crowd["return_url"] != usual_url(crowd["source"]):
        return dict(changes)
    return {"crowd.return_url": usual_url(source), **changes}
