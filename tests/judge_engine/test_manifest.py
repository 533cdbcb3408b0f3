"""`score MANIFEST`: every clip has a row, with its score or the reason why there is none."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pytest

from judge.problems import Misconfigured
from judge.schemas import SCORE_COLUMNS, ScoreQuery
from judge.server import manifest
from judge.server.__main__ import main
from judge.server.batching import Budget
from judge.server.judging import Judge
from tests.judge_engine.sounds import wav


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Write five clips, of which one is silent, one cut off and one isn't there, and return their manifest."""
    (tmp_path / "alpha").mkdir()
    (tmp_path / "alpha" / "one.wav").write_bytes(wav(1.0, 1))
    (tmp_path / "alpha" / "two.wav").write_bytes(wav(2.0, 2))
    (tmp_path / "silent.wav").write_bytes(wav(1.0)[:44] + bytes(32_000))
    (tmp_path / "cut.wav").write_bytes(wav(1.0)[:10_000])
    path = tmp_path / "manifest.csv"
    rows = [
        "alpha/one.wav,zh,alpha", "alpha/two.wav,en,alpha", "silent.wav,zh,beta", "cut.wav,zh,beta", "none.wav,,beta",
    ]  # fmt: skip
    path.write_text("\n".join(["file,language,system", *rows]), encoding="utf-8-sig")
    return path


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        assert tuple(reader.fieldnames or ()) == SCORE_COLUMNS
        return list(reader)


def test_the_command_line_scores_a_manifest_with_hashes_and_reasons(
    folder: Path, clips: Path, judge: Judge, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "scores.csv"
    assert main(["score", str(clips), "--model", str(folder), "--device", "cpu", "--out", str(out)]) == 0
    assert "2 scored, 3 refused" in capsys.readouterr().err
    rows = table(out)
    assert [row["clip"] for row in rows] == ["alpha/one.wav", "alpha/two.wav", "silent.wav", "cut.wav", "none.wav"]
    assert [row["error"] for row in rows] == ["", "", "silent", "corrupt", "missing"]
    assert all(row["message"] and not row["value"] for row in rows[2:])
    assert {row["metric"] for row in rows} == {"hls:att"}
    first, second = rows[:2]
    content = (tmp_path / "alpha" / "one.wav").read_bytes()
    query = ScoreQuery(length=None, seconds=None)
    question = judge.question(content, query)
    expected = judge.score(question, judge.engine.read([question.prepared])[0])
    assert float(first["value"]) == pytest.approx(expected.hls, abs=1e-5)
    assert json.loads(first["probabilities"]) == pytest.approx(expected.probabilities, abs=1e-5)
    assert first["audio_sha256"] == hashlib.sha256(content).hexdigest()
    assert first["profile_sha256"] == judge.profiles["att"].sha256
    assert first["weights_sha256"] == judge.engine.loaded.weights_sha256
    assert (first["dtype"], first["preprocessing"], first["seconds"]) == ("float32", "1", "1.000")
    assert "language" in second["warnings"].split("|")
    assert not (tmp_path / "scores.csv.part").exists()


def test_every_profile_has_its_own_rows(judge: Judge, clips: Path) -> None:
    rows = list(manifest.score(judge, manifest.read(clips)[:2], clips.parent, Budget(4, 100_000)))
    assert [(row["clip"][-7:], row["metric"]) for row in rows] == [
        ("one.wav", "hls:att"), ("one.wav", "hls:assistant"), ("two.wav", "hls:att"), ("two.wav", "hls:assistant"),
    ]  # fmt: skip


def test_a_hash_in_the_manifest_is_held_against_the_file(judge: Judge, clips: Path) -> None:
    rows = [{"clip": "alpha/one.wav", "sha256": "0" * 64}]
    assert {row["error"] for row in manifest.score(judge, rows, clips.parent, Budget(1, 100_000))} == {"corrupt"}


def test_batches_change_nothing(judge: Judge, clips: Path) -> None:
    rows = manifest.read(clips)
    alone = [row["value"] for row in manifest.score(judge, rows, clips.parent, Budget(1, 100_000))]
    together = [row["value"] for row in manifest.score(judge, rows, clips.parent, Budget(8, 100_000))]
    for one, other in zip(alone, together, strict=True):
        assert one == other == "" or float(one) == pytest.approx(float(other), abs=1e-5)


def test_a_manifest_without_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "manifest.csv"
    path.write_text("name\na.wav\n")
    with pytest.raises(Misconfigured, match="'file' or 'clip'"):
        manifest.read(path)
