from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core import jobs
from studies.imports import requests
from studies.models import Clip, Study
from tests import audio
from tests.studies.imports.helpers import FILES, GOLDEN, PASSAGES, QUESTIONS, ROWS, SPOKEN, draft

pytestmark = pytest.mark.django_db


def test_a_folder_is_imported_at_once_with_progress(study: Study, tmp_path: Path, now: datetime) -> None:
    manifest = audio.write_folder(tmp_path / "clips", ROWS, FILES)
    told: list[tuple[int, int]] = []
    job = requests.import_folder(
        study=study,
        manifest_path=manifest,
        root=manifest.parent,
        now=lambda: now,
        progress=lambda done, total: told.append((done, total)),
    )
    assert (job.state, job.clips_added, job.report) == (jobs.DONE, 3, [])
    # On a slow machine, a number is told more than once.
    assert list(dict.fromkeys(told)) == [(0, 3), (1, 3), (2, 3), (3, 3)]
    # The import itself is done; the audit of the new clips is left to a worker.
    assert [task for task, _pk in jobs.due(now + timedelta(days=1))] == ["studies.audit_clips"]


def test_the_command_imports_and_says_how_many(study: Study, tmp_path: Path, capsys: Any) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, FILES)
    call_command("import_clips", "one", "--manifest", str(manifest))
    assert "Imported 3 clips into one." in capsys.readouterr().out
    assert Clip.objects.filter(study=study).count() == 3


def test_the_command_takes_a_zip_as_root(study: Study, tmp_path: Path) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, {})
    (tmp_path / "clips.zip").write_bytes(audio.zipped({f"top/{name}": content for name, content in FILES.items()}))
    call_command("import_clips", "one", "--manifest", str(manifest), "--root", str(tmp_path / "clips.zip"))
    assert Clip.objects.filter(study=study).count() == 3


@pytest.mark.processes
def test_the_command_prints_a_table_and_fails_when_clips_are_refused(study: Study, tmp_path: Path, capsys: Any) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, {**FILES, "h/1.wav": b"#EXTM3U\nhttp://127.0.0.1/a.wav\n"})
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_clips", "one", "--manifest", str(manifest))
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["table", "row", "file", "column", "reason"] for line in lines)
    assert any(line.split()[:4] == ["manifest", "2", "h/1.wav", "file"] and "playlist" in line for line in lines)
    assert not Clip.objects.exists()


@pytest.mark.parametrize("arguments", [("two", "manifest.csv"), ("one", "nowhere.csv")])
def test_the_command_names_what_is_not_there(arguments: tuple[str, str], study: Study, tmp_path: Path) -> None:
    audio.write_folder(tmp_path, ROWS, {})
    with pytest.raises(CommandError, match="There is no"):
        call_command("import_clips", arguments[0], "--manifest", str(tmp_path / arguments[1]))


def test_the_command_imports_questions_and_says_how_many(tmp_path: Path, files: Path, capsys: Any) -> None:
    study = Study.objects.create(slug="asking", title="Asking", draft=draft("sp-mcqa"))
    manifest = audio.write_folder(tmp_path, PASSAGES, SPOKEN)
    (tmp_path / "q.csv").write_text(QUESTIONS)
    (tmp_path / "g.csv").write_text(GOLDEN.replace("Seven", "Eight"))
    arguments = ["asking", "--manifest", str(manifest), "--questions", str(tmp_path / "q.csv")]
    with pytest.raises(CommandError, match="1 refusals"):
        call_command("import_clips", *arguments, "--golden", str(tmp_path / "g.csv"))
    assert ["golden", "2", "distractor_1"] in [line.split()[:3] for line in capsys.readouterr().out.splitlines()]
    assert not Clip.objects.exists()
    (tmp_path / "g.csv").write_text(GOLDEN)
    call_command("import_clips", *arguments, "--golden", str(tmp_path / "g.csv"))
    assert "Imported 4 clips and 6 questions into asking." in capsys.readouterr().out
    assert study.questions.filter(golden=True).count() == 2


def test_the_command_names_a_list_that_is_not_there(study: Study, tmp_path: Path) -> None:
    manifest = audio.write_folder(tmp_path, ROWS, FILES)
    with pytest.raises(CommandError, match=r"nowhere\.csv"):
        call_command("import_clips", "one", "--manifest", str(manifest), "--golden", str(tmp_path / "nowhere.csv"))


def write(folder: Path, names: list[str]) -> Path:
    """Write a clip under each name."""
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(audio.wav(0.3, seed=number + 1))
    return folder


NAMES = [f"{system}/sent{number}.wav" for system in ("modelA", "gt") for number in (1, 2)]
PLAIN = [f"{one}/{other}.wav" for one in ("alder", "birch") for other in ("hello", "river")]


@pytest.mark.processes
def test_a_folder_without_a_manifest_is_imported_by_its_names(study: Study, tmp_path: Path, capsys: Any) -> None:
    call_command("import_clips", "one", root=write(tmp_path / "clips", NAMES))
    printed = capsys.readouterr().out
    assert "read as: system/text" in printed
    assert "Systems: 2 (human, modelA)" in printed
    assert set(Clip.objects.values_list("system__name", "text__name")) == {
        (system, text) for system in ("human", "modelA") for text in ("sent1", "sent2")
    }


@pytest.mark.processes
def test_two_readings_are_asked_about_by_their_layouts_and_one_is_taken(study: Study, tmp_path: Path) -> None:
    folder = write(tmp_path / "clips", PLAIN)
    with pytest.raises(CommandError) as caught:
        call_command("import_clips", "one", root=folder)
    assert "--layout system/text  (alder/hello.wav: system alder, text hello)" in str(caught.value)
    assert "--layout text/system  (alder/hello.wav: system hello, text alder)" in str(caught.value)
    assert not Clip.objects.exists()
    call_command("import_clips", "one", root=folder, layout="text/system")
    assert set(Clip.objects.values_list("system__name", flat=True)) == {"hello", "river"}


@pytest.mark.processes
def test_a_proposed_table_is_written_corrected_and_given_back(study: Study, tmp_path: Path) -> None:
    folder, table = write(tmp_path / "clips", ["one.wav", "two.wav"]), tmp_path / "table.csv"
    with pytest.raises(CommandError, match="--propose FILE, fill in the column"):
        call_command("import_clips", "one", root=folder)
    call_command("import_clips", "one", root=folder, propose=table)
    assert not Clip.objects.exists()
    assert table.read_text().splitlines() == ["file,system,role,text_id", "one.wav,,test,one", "two.wav,,test,two"]
    table.write_text(table.read_text().replace(",,", ",alder,"))
    call_command("import_clips", "one", manifest=table, root=folder)
    assert set(Clip.objects.values_list("system__name", "text__name")) == {("alder", "one"), ("alder", "two")}


@pytest.mark.processes
def test_any_table_is_a_manifest_and_what_it_leaves_out_is_said(study: Study, tmp_path: Path, capsys: Any) -> None:
    folder = write(tmp_path / "clips", ["modelA/001.wav", "gt/001.wav"])
    table = folder / "meta.lst"
    table.write_text("/data/gt/001|So soon?|4\n/data/modelA/001|So soon?|2\n/data/modelA/2|Later|3\n")
    call_command("import_clips", "one", root=folder)
    printed = capsys.readouterr().out
    assert "column 1 → file, column 2 → text" in printed
    assert "“column 3” is unknown and was ignored" in printed
    assert "/data/modelA/2" in printed
    assert set(Clip.objects.values_list("system__name", "text__body")) == {
        ("human", "So soon?"),
        ("modelA", "So soon?"),
    }


@pytest.mark.processes
def test_a_streamed_clip_is_imported_with_a_warning(study: Study, tmp_path: Path, capsys: Any) -> None:
    folder = write(tmp_path / "clips", NAMES)
    raw = bytearray((folder / NAMES[0]).read_bytes())
    raw[40:44] = b"\xff\xff\xff\xff"
    (folder / NAMES[0]).write_bytes(raw)
    call_command("import_clips", "one", root=folder)
    assert "has no length" in " ".join(capsys.readouterr().out.split())
    assert Clip.objects.get(file=NAMES[0]).duration == pytest.approx(0.3)


def test_a_layout_that_is_none_and_a_folder_that_is_not_there_are_named(study: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is not a layout"):
        call_command("import_clips", "one", root=write(tmp_path, NAMES), layout="models/text")
    with pytest.raises(CommandError, match="There is no folder"):
        call_command("import_clips", "one", root=tmp_path / "none")


@pytest.mark.parametrize("place", ["alpha", "clips/alpha", "alpha.zip"])
def test_a_folder_of_one_system_names_it(study: Study, tmp_path: Path, capsys: Any, place: str) -> None:
    sounds = {f"text_{number}.wav": audio.wav(seed=number) for number in range(3)}
    root = tmp_path / place.split("/")[0]
    if place.endswith(".zip"):
        root.write_bytes(audio.zipped(sounds))
    else:
        folder = tmp_path / place
        folder.mkdir(parents=True)
        for name, content in sounds.items():
            (folder / name).write_bytes(content)
    call_command("import_clips", "one", "--root", str(root))
    assert "Systems: 1 (alpha)" in capsys.readouterr().out
    assert {clip.system.name for clip in Clip.objects.filter(study=study)} == {"alpha"}


def test_a_folder_whose_name_says_nothing_names_no_system(study: Study, tmp_path: Path) -> None:
    (tmp_path / "wavs").mkdir()
    for number in range(2):
        (tmp_path / "wavs" / f"text_{number}.wav").write_bytes(audio.wav(seed=number))
    with pytest.raises(CommandError, match=r"don't tell the system .* 2 clips.*folder with its name"):
        call_command("import_clips", "one", "--root", str(tmp_path / "wavs"))
    assert not Clip.objects.exists()
