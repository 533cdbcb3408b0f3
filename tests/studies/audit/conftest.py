"""Imports without a child process, which takes a second to start."""

from __future__ import annotations

import pytest

from studies.imports.ingest import decoders
from tests.studies.imports.conftest import InProcess


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoders, "DecoderProcess", InProcess)
