"""Worlds that several tests of results share."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tests.analysis.world import World


@pytest.fixture
def world(db: None, files: Path, now: datetime) -> World:
    """Return a launched study that nobody has rated."""
    return World(now)
