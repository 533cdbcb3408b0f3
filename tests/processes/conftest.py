"""Processes on the test's own database, gone when the test ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import Processes
from tests.settings import SCRATCH


@pytest.fixture
def processes(process_environment: dict[str, str], tmp_path: Path) -> Iterator[Processes]:
    """Start the product's processes, with its static files collected as on a server."""
    found = Processes(process_environment, tmp_path)
    try:
        if not (SCRATCH / "static" / "staticfiles.json").exists():
            found.manage("collectstatic", "--noinput", "--verbosity=0")
        yield found
    finally:
        found.close()
