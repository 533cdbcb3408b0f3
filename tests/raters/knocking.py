"""Somebody at a study's door, before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from raters.sources.base import ArrivalRequest
from studies.definition.settings.crowd import Crowd

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
BASE = "https://listen.example.org"
FRESH = "f" * 22


def knock(params: Mapping[str, str], crowd: Crowd | None = None, **parts: Any) -> ArrivalRequest:
    """Return a knock of the study `voices`."""
    given: dict[str, Any] = {
        "study_id": 1,
        "slug": "voices",
        "crowd": crowd or Crowd(),
        "params": params,
        "now": NOW,
        "base_url": BASE,
        "browser": "",
        "fresh": FRESH,
        "key": lambda name: None,
        **parts,
    }
    return ArrivalRequest(**given)
