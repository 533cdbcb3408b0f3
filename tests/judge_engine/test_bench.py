"""The benchmarks run; what they say is for people to read."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.bench import judge as bench

ENGINE_ALONE = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {"pydantic", "soundfile", "soxr", "fastapi", "uvicorn", "peft", "pyloudnorm"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import judge.server.forward
"""


def test_the_engines_benchmark_compares_batches_with_a_plain_loop_and_the_floor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "--clips", "2", "--seconds", "1", "--batches", "1,2"])
    bench.main()
    told = capsys.readouterr().out
    assert re.search(r"floor \d+\.\d clips a second", told)
    assert re.search(r"generate, one clip at a time: \d", told)
    assert re.search(r"batches of 2: .* x, .*% of the floor", told)


def test_its_engine_part_needs_no_package_of_ours_besides_torch_transformers_and_numpy() -> None:
    done = subprocess.run([sys.executable, "-c", ENGINE_ALONE], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
