"""The example of the whole way, against a server, a worker and a broker of their own."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from core.paths import ROOT
from raters.models import Session
from studies.models import Study
from tests import audio
from tests.api.caller import token
from tests.researchers import researcher
from tests.servers import Processes, free_port

pytestmark = pytest.mark.processes
PROGRAM = str(ROOT / "docs" / "examples" / "whole_way.py")


def test_the_example_goes_from_a_folder_of_audio_to_a_report(
    processes: Processes, broker_url: str, tmp_path: Path
) -> None:
    rows, contents = audio.clip_set(systems=("alpha", "beta"), texts=3, flawed=0, human=0)
    for name, content in contents.items():
        path = tmp_path / "clips" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "study.json").write_text(
        json.dumps({"title": "Voices", "preset": "acr", "settings": {"protocol.ratings_wanted": 2}})
    )
    secret, port = token(researcher("rita")), free_port()
    web = processes.web(port, EARSHOT_BROKER_URL=broker_url)
    worker = processes.worker(broker_url)
    asked = ("--set", "protocol.tests_per_batch=3", "--raters", "4", "--every", "0.3", "--out", str(tmp_path / "out"))
    files = (str(tmp_path / "clips"), "voices", "--study-file", str(tmp_path / "study.json"))
    environment = {"API_TOKEN": secret, "API_URL": f"http://127.0.0.1:{port}"}
    running = processes.python(PROGRAM, *files, *asked, **environment)
    said = running.finish(300)
    assert f"{len(rows)} of {len(rows)} clips are measured." in said
    assert "A launch takes" in said
    study = Study.objects.get(slug="voices")
    assert (study.title, study.state, study.definition.protocol.ratings_wanted) == ("Voices", "live", 2)
    assert list(Session.objects.values_list("simulated", flat=True)) == [True] * 4
    assert "<html" in (tmp_path / "out" / "report.html").read_text()
    assert json.loads((tmp_path / "out" / "results.json").read_text())["figures"]
    with zipfile.ZipFile(tmp_path / "out" / "data.zip") as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/ratings.csv"))
        ratings = list(csv.DictReader(io.StringIO(archive.read(name).decode())))
    assert {row["system"] for row in ratings} == {"alpha", "beta"}
    for child in (web, worker, running):
        assert secret not in child.said()
