"""A researcher and their program."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounts.models import User
from tests.api.caller import Caller, token
from tests.researchers import researcher


@pytest.fixture
def rita(db: None, files: Path) -> User:
    return researcher("rita")


@pytest.fixture
def api(rita: User) -> Caller:
    """Return Rita's program, which may do everything."""
    return Caller(token(rita))
