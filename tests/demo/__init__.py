from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import demo

PLATFORM = Path(str(demo.__file__)).parents[1]
needs_espeak = pytest.mark.skipif(
    importlib.util.find_spec("espeakng_loader") is None, reason="espeakng-loader is not installed"
)
