"""Worlds that several tests of results share."""

from __future__ import annotations

from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from analysis.metrics import dnsmos
from tests.analysis.sounds import WINDOW, heard_once, tone, wav
from tests.analysis.world import World


@pytest.fixture
def world(db: None, files: Path, now: datetime) -> World:
    """Return a launched study that nobody has rated."""
    return World(now)


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Return what the real model says of a tone; each sound is given to it once a process, whoever asks."""
    asked = SimpleNamespace(run=lambda sound, rate: heard_once(sound.tobytes(), rate))
    import_module("speechmos.dnsmos")
    monkeypatch.setattr("speechmos.dnsmos", asked)
    return dnsmos.score(wav(tone(WINDOW)))
