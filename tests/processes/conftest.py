"""Processes on the test's own database, gone when the test ends."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import shared
from tests.servers import Processes
from tests.settings import BASE, SCRATCH


@pytest.fixture
def processes(process_environment: dict[str, str], tmp_path: Path) -> Iterator[Processes]:
    """Start the product's processes, with its static files collected as on a server."""
    found = Processes(process_environment, tmp_path)
    try:
        if not (SCRATCH / "static" / "staticfiles.json").exists():
            collect(found)
        yield found
    finally:
        found.close()


def collect(processes: Processes) -> None:
    """Collect the static files into this process's folder, or copy what another one of the run has collected."""
    collected = Path(BASE) / "collected"
    with shared.turn("collected") as is_made:
        if is_made:
            shutil.copytree(collected, SCRATCH / "static", dirs_exist_ok=True)
            return
        processes.manage("collectstatic", "--noinput", "--verbosity=0")
        if not shared.IS_ALONE:
            shutil.copytree(SCRATCH / "static", collected)
