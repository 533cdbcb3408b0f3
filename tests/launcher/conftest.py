"""Data that a management command has made: made once a process, for seconds, and copied for each test."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from core.paths import ROOT
from tests.launcher.started import bare_environment

Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def made_data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """Give the first management command on a machine, and return its data and how it ended."""
    data = tmp_path_factory.mktemp("made")
    done = subprocess.run(
        [ROOT / "run", "--data", data, "manage", "ensure_admin"],
        input="a-password-of-one's-own\n", capture_output=True, text=True, env=bare_environment(), cwd=data,
    )  # fmt: skip
    return data, done


@pytest.fixture
def made(made_data: tuple[Path, Done]) -> Done:
    """Return how the first management command ended."""
    return made_data[1]


@pytest.fixture
def prepared(made_data: tuple[Path, Done], tmp_path: Path) -> Path:
    """Return a folder of data as the first management command leaves it, for this test alone."""
    return Path(shutil.copytree(made_data[0], tmp_path / "prepared"))
