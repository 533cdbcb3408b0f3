"""The example client of the documentation, against a server, a worker and a broker of their own."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest

from accounts.models import Upload
from core.paths import ROOT
from studies.models import Clip, Study
from tests import audio
from tests.api.caller import token
from tests.researchers import researcher
from tests.servers import Child, Processes, free_port, until

pytestmark = pytest.mark.processes
CLIENT = str(ROOT / "docs" / "examples" / "api_client.py")


def test_the_example_makes_a_study_and_comes_back_with_its_ratings(
    processes: Processes, broker_url: str, tmp_path: Path
) -> None:
    rows, contents = audio.clip_set(systems=("alpha", "beta"), texts=3, flawed=0, human=0)
    (tmp_path / "clips.csv").write_bytes(audio.manifest(rows))
    (tmp_path / "clips.zip").write_bytes(audio.zipped(contents))
    secret, port = token(researcher("rita")), free_port()
    web = processes.web(port, EARSHOT_BROKER_URL=broker_url)
    worker = processes.worker(broker_url)

    def client(*more: str) -> Child:
        settings = ("--set", "protocol.ratings_wanted=2", "--set", "protocol.tests_per_batch=3", "--simulated", "only")
        files = ("--manifest", str(tmp_path / "clips.csv"), "--archive", str(tmp_path / "clips.zip"))
        out = ("--out", str(tmp_path / "results.zip"), "--every", "0.2")
        address = f"http://127.0.0.1:{port}"
        asked = (address, "voices", "--preset", "acr", *settings, *files, "--ratings", "6", *out, *more)
        return processes.python(CLIENT, *asked, API_TOKEN=secret)

    running = client()
    until(lambda: Study.objects.filter(state="live").exists(), "the study is not live", alive=running, seconds=120)
    assert Clip.objects.count() == len(rows)
    assert not Upload.objects.exists()
    processes.manage("simulate_raters", "voices", "--raters", "2", "--seed", "1")
    said = running.finish(120)
    assert "6 clips are in." in said
    with zipfile.ZipFile(tmp_path / "results.zip") as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/ratings.csv"))
        ratings = list(csv.DictReader(io.StringIO(archive.read(name).decode())))
    assert len(ratings) >= 6
    assert {row["system"] for row in ratings} == {"alpha", "beta"}
    # Started again, it finds everything done.
    again = client().finish(120)
    assert "clips are in" not in again
    assert Study.objects.count() == 1
    for child in (web, worker, running):
        assert secret not in child.said()
