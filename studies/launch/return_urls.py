"""The return URL follows the crowd source, unless the study has one of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies import hooks


def with_return_url(draft: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dotted changes; those of the source also replace the former source's return URL by the new one's."""
    usual = {source.name: source.return_url for source in hooks.crowd_sources}
    crowd = draft["crowd"]
    source = changes.get("crowd.source", crowd["source"])
    if source == crowd["source"] or crowd["return_url"] != usual.get(crowd["source"], ""):
        return dict(changes)
    return {"crowd.return_url": usual.get(source, ""), **changes}
