"""A second engine is admitted when it says the same about every clip, and not otherwise."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from judge.client import transport
from judge.problems import Unavailable
from judge.runs import parity
from studies.models import Study
from tests.judge.client.fake_vllm import FakeVllm
from tests.judge.fake_judge import LABELS, FakeJudge, refusal
from tests.judge.world import clips, heard_study

URLS = {"JUDGE_URL": "http://judge", "JUDGE_WEIGHTS": "c" * 64}


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    return heard_study(now)


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> tuple[FakeJudge, FakeVllm]:
    """Let a judge answer at http://judge and a vLLM at http://vllm that agree on every clip."""
    judge, vllm = FakeJudge(), FakeVllm()
    vllm.shares = lambda sha256: shares(judge.scores(sha256))
    by_host: dict[str, Callable[[httpx.Request], httpx.Response]] = {"judge": judge, "vllm": vllm}
    client = httpx.Client

    def routed(**options: Any) -> httpx.Client:
        return client(**{**options, "transport": httpx.MockTransport(lambda asked: by_host[asked.url.host](asked))})

    monkeypatch.setattr(transport.httpx, "Client", routed)
    monkeypatch.setattr(transport.Patience, "__init__", _impatient(transport.Patience.__init__))
    return judge, vllm


def _impatient(made: Callable[..., None]) -> Callable[..., None]:
    return lambda self, **told: made(self, **{"tries": 1, **told})


def shares(hls: float) -> tuple[float, ...]:
    """Return labels' shares that make this score."""
    assert [weight for _text, weight in LABELS] == [1, 0.5, 0]
    return (max(1e-9, 0.9 * hls), 1e-9, max(1e-9, 0.9 * (1 - hls)))


def run(study: Study, **options: Any) -> str:
    out = StringIO()
    with override_settings(**URLS):
        call_command("judge_parity", study.slug, url="http://vllm", stdout=out, **options)
    return out.getvalue()


def test_two_engines_that_agree_are_admitted(study: Study, engines: tuple[FakeJudge, FakeVllm]) -> None:
    said = run(study)
    assert "10 clips, largest difference 0.0000, 0 missing" in said
    assert "Admitted" in said


def test_one_clip_that_differs_by_a_hundredth_is_one_too_many(
    study: Study, engines: tuple[FakeJudge, FakeVllm]
) -> None:
    judge, vllm = engines
    odd = clips(study)[3]
    vllm.shares = lambda sha256: shares(judge.scores(sha256) + (0.0101 if sha256 == odd.sha256 else 0))
    judge.scores = lambda sha256: 0.5
    with pytest.raises(CommandError, match="Not admitted") as refused:
        run(study)
    assert refused.value.returncode == 1
    vllm.shares = lambda sha256: shares(judge.scores(sha256) + (0.0099 if sha256 == odd.sha256 else 0))
    assert "Admitted" in run(study)


@pytest.mark.parametrize("side", ["first", "second"])
def test_a_clip_without_a_score_from_either_is_missing(
    study: Study, engines: tuple[FakeJudge, FakeVllm], side: str
) -> None:
    judge, vllm = engines
    gone = clips(study)[2].sha256
    if side == "first":
        judge.faults[gone] = [refusal("corrupt")]
    else:
        vllm.refuses[gone] = httpx.Response(400, json={"error": {"message": "no"}})
    with pytest.raises(CommandError, match="Not admitted"):
        run(study)


def test_an_engine_that_is_down_admits_nobody(study: Study, engines: tuple[FakeJudge, FakeVllm]) -> None:
    judge, _vllm = engines
    judge.always = httpx.ConnectError("refused")
    with pytest.raises(CommandError, match="can't be reached"):
        run(study)


def test_a_judge_that_goes_away_in_the_middle_is_no_agreement(study: Study) -> None:
    judge = FakeJudge()
    judge.faults[clips(study)[5].sha256] = [refusal("draining", 503)] * 9
    drawn = parity.draw(study.pk, 100, Random(1))
    with pytest.raises(Unavailable):
        list(parity.compare(drawn, judge.client(tries=1), FakeVllm().client(), profile="att", in_flight=2))


def test_the_draw_takes_different_sounds_and_the_same_ones_by_the_same_seed(study: Study) -> None:
    assert len(parity.draw(study.pk, 4, Random(3))) == 4
    assert parity.draw(study.pk, 4, Random(3)) == parity.draw(study.pk, 4, Random(3))
    assert len(parity.draw(study.pk, 1000, Random(3))) == 10
