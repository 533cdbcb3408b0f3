from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tests.analysis.world import World


@pytest.fixture
def world(db: None, files: Path, now: datetime) -> World:
    """A live study with clips of several systems."""
    return World(now)
