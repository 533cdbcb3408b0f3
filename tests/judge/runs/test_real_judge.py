"""The platform asks the judge's real process, with a tiny model in the judge's own environment (./check --all)."""

from __future__ import annotations

import csv
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import override_settings

from analysis.metrics import queries as metrics_queries
from analysis.metrics import sets
from core.files import storage
from core.jobs import DONE, FAILED, QUEUED
from core.paths import ROOT
from judge.client import configured
from judge.prescreening.calibration import _is_same
from judge.runs import run_jobs
from judge.runs.models import JudgeRun
from studies.models import Study
from tests import audio
from tests.judge.world import clips, give, heard_study
from tests.servers import Child, Processes, free_port, until

PYTHON = ROOT / ".venv-judge" / "bin" / "python"
TOKEN = "a long random text"
MAKE = "import sys; from pathlib import Path; from tests.judge_engine import tiny; tiny.write(Path(sys.argv[1]))"

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(not PYTHON.exists(), reason="the judge has no environment here; ./check --all makes it"),
]


@dataclass
class Real:
    """A started judge, its address, and the model that it serves."""

    process: Child
    url: str
    model: Path
    environment: dict[str, str]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """Start the judge's server on a tiny model."""
    folder, port = tmp_path_factory.mktemp("judge"), free_port()
    environment = {**os.environ, "EARSHOT_JUDGE_TOKEN": TOKEN}
    model = folder / "model"
    model.mkdir()
    subprocess.run([PYTHON, "-c", MAKE, model], cwd=ROOT, check=True, env={**environment, "PYTHONPATH": str(ROOT)})
    processes = Processes(environment, folder)
    child = processes.start(
        str(PYTHON), "-m", "judge.server", "serve", "--model", str(model), "--port", str(port), "--device", "cpu"
    )
    url = f"http://127.0.0.1:{port}"
    until(lambda: ready(url), "the judge was never ready", alive=child, seconds=300)
    yield Real(child, url, model, environment)
    processes.close()


def ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz").is_success
    except httpx.TransportError:
        return False


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    """Return a study with a web page, silence and an M4A among its clips."""
    study = heard_study(now)
    page, silence, m4a = clips(study)[:3]
    give(page, b"<html>no sound</html>")
    give(silence, audio.encoded(audio.speech(0.5, level=1e-6), subtype="PCM_16"))
    give(m4a, b"\x00\x00\x00\x18ftypM4A " + bytes(64))
    m4a.rendition = storage.put("renditions", audio.wav(0.5, seed=99))
    m4a.save()
    return study


def ran(study: Study, real: Real, now: datetime, **settings: Any) -> JudgeRun:
    run = run_jobs.request_run(study_id=study.pk, profile="", user=None, now=now)
    with override_settings(**{"JUDGE_URL": real.url, "JUDGE_TOKEN": TOKEN, "JUDGE_IN_FLIGHT": 2, **settings}):
        run_jobs.work(pk=run.pk, clock=lambda: now)
    run.refresh_from_db()
    return run


def test_a_study_is_judged_and_the_same_scores_come_from_the_cluster(
    study: Study, real: Real, now: datetime, tmp_path: Path
) -> None:
    run = ran(study, real, now)
    assert (run.state, run.error, run.done) == (DONE, "", 10)
    page, silence, m4a, *others = clips(study)
    assert run.metric_set
    found = {value.clip: value for value in metrics_queries.details(run.metric_set.pk)}
    assert found[page.pk].detail["code"] == "undecodable"
    assert found[silence.pk].detail["code"] == "silent"
    assert found[m4a.pk].detail["sent"] == "rendition"
    assert all(0 <= (found[clip.pk].value or -1) <= 1 for clip in (m4a, *others))
    assert len({found[clip.pk].value for clip in others}) == len(others)

    manifest = tmp_path / "manifest.csv"
    with manifest.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["file", "sha256"])
        writer.writerows([clip.file, clip.sha256] for clip in (page, silence, *others))
    for clip in (page, silence, *others):
        path = tmp_path / clip.file
        path.parent.mkdir(parents=True, exist_ok=True)
        with storage.open_file(clip.original) as stored:
            path.write_bytes(stored.read())
    out = tmp_path / "scores.csv"
    subprocess.run(
        [PYTHON, "-m", "judge.server", "score", manifest, "--model", real.model, "--out", out, "--device", "cpu"],
        cwd=ROOT, check=True, env={**real.environment, "PYTHONPATH": str(ROOT)}, capture_output=True,
    )  # fmt: skip
    [imported] = sets.import_file(study_id=study.pk, content=out.read_bytes(), file_name="scores.csv", name="", now=now)
    assert _is_same(imported, run.metric_set)
    there = metrics_queries.values(imported.pk)
    assert there == {clip.pk: pytest.approx(found[clip.pk].value, abs=1e-5) for clip in others}
    assert {value.clip for value in metrics_queries.details(imported.pk) if value.value is None} == {
        page.pk,
        silence.pk,
    }


def test_nothing_is_asked_twice_and_a_wrong_token_or_a_dead_judge_is_told(
    study: Study, real: Real, now: datetime
) -> None:
    first = ran(study, real, now)
    again = ran(study, real, now)
    assert (first.asked, again.asked, again.state) == (10, 0, DONE)
    wrong = ran(study, real, now, JUDGE_TOKEN="another")
    assert wrong.state == FAILED
    assert "EARSHOT_JUDGE_TOKEN" in wrong.error
    with override_settings(JUDGE_URL=real.url, JUDGE_TOKEN=TOKEN):
        info = configured.judge().info()
    assert [profile.name for profile in info.profiles] == ["att"]
    real.process.kill()
    down = ran(study, real, now)
    assert down.state == QUEUED
    assert "can't be reached" in down.waits_for
