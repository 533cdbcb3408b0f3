"""One tiny model for all tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from judge.profiles import PromptProfile
from judge.profiles import load as load_profile
from judge.server.engine import Engine
from judge.server.judging import Judge
from judge.server.loading import load
from tests.judge_engine import tiny

torch.set_num_threads(2)


def assistant_profile() -> PromptProfile:
    """Return a profile of the released kind whose tokens a tiny model has too."""
    att = load_profile("att")
    return PromptProfile(
        name="assistant",
        version=1,
        title="Good, Fair or Bad after the assistant's tag",
        frame=f"{att.frame}<|im_end|>\n<|im_start|>assistant\n",
        prompt=att.prompt,
        read_after="<|im_start|>assistant\n",
        labels=[{"text": text, "weight": weight} for text, weight in (("Good", 3), ("Fair", 2), ("Bad", 1))],
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny model."""
    return tiny.write(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def profiles() -> Sequence[PromptProfile]:
    return [load_profile("att"), assistant_profile()]


@pytest.fixture(scope="session")
def engine(folder: Path, profiles: Sequence[PromptProfile]) -> Engine:
    """Return an engine with both kinds of profile."""
    return Engine(load(folder, device="cpu"), profiles)


@pytest.fixture(scope="session")
def judge(engine: Engine) -> Judge:
    return Judge(engine)
