from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from accounts.models import User
from studies.models import Study
from tests.analysis.world import World
from tests.researchers import researcher


@pytest.fixture
def world(db: None, files: Path, now: datetime) -> World:
    """A live study with clips of several systems."""
    return World(now)


@pytest.fixture
def owner(world: World) -> User:
    """The owner of that study."""
    user = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=user)
    world.study.refresh_from_db()
    return user
