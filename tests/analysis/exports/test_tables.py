"""Whole exports: every row, its reasons, and files that can be compared."""

from __future__ import annotations

import csv
import hashlib
import json
import zipfile
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean

import pytest
from django.core.management import CommandError, call_command

from analysis.data.models import Simulated
from analysis.exports import building, files, ratings
from analysis.exports.clips import CLIPS
from analysis.exports.models import Export, Format
from analysis.exports.source import Source, Window
from analysis.live import figures
from analysis.sections.results import dump
from core.files import storage
from raters.models import Session
from raters.privacy import requests
from studies.clips import tables
from studies.models import Clip
from tests.analysis.world import World
from tests.world import make_study

REQUIRED = (
    "study",
    "study_version",
    "preset",
    "session",
    "rater",
    "simulated",
    "batch",
    "trial_index",
    "position_in_batch",
    "clip",
    "system",
    "voice",
    "role",
    "text_id",
    "dimension",
    "language",
    "box",
    "domain",
    "benchmark",
    "condition",
    "take",
    "label",
    "score",
    "justification",
    "plays",
    "played_fraction",
    "served_at",
    "play_started_at",
    "answered_at",
    "response_seconds",
    "decision_seconds",
    "late",
    "surplus",
    "batch_valid",
    "usable",
    "exclusion_reasons",
    "app_version",
)


def export(world: World, folder: Path, simulated: Simulated = Simulated.WITHOUT) -> list[dict[str, str]]:
    files.write(Source(world.study, simulated), folder)
    return table(folder / "ratings.csv")


def table(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(row) for row in path.read_text(encoding="utf-8").split("\n") if row]


def test_ratings_have_the_promised_columns_in_order(world: World, tmp_path: Path) -> None:
    world.rate(world.batch(world.session()), world.clips("alpha")[0], "unclear", reason="停顿太长了，语调也平")
    row = export(world, tmp_path)[0]
    assert tuple(row)[: len(REQUIRED)] == REQUIRED
    assert row["label"] == "unclear"
    assert row["score"] == "0.5"
    assert row["justification"] == "停顿太长了，语调也平"
    assert row["dimension"] == "数字"
    assert row["plays"] == "1"
    assert row["played_fraction"] == "1"
    assert row["served_at"] == "2026-03-02T09:30:00.000Z"
    assert row["play_started_at"] == "2026-03-02T09:30:02.000Z"
    assert row["answered_at"] == "2026-03-02T09:30:09.000Z"
    assert (row["usable"], row["batch_valid"], row["exclusion_reasons"]) == ("true", "true", "")
    assert (row["batch"], row["position_in_batch"], row["trial_index"]) == ("1", "1", "1")


def test_ratings_have_the_speaker_prompt_and_whether_the_benchmark_was_seen(world: World, tmp_path: Path) -> None:
    described = {"alpha": ("prompts/lj.wav", "yes"), "beta": ("", "no"), "human": ("", "")}
    batch = world.batch(world.session())
    for system, (prompt, seen) in described.items():
        Clip.objects.filter(study=world.study, system__name=system).update(prompt_file=prompt, seen=seen)
        world.rate(batch, world.clips(system)[0], "human")
    rows = export(world, tmp_path)
    assert [list(row)[-5:] for row in rows] == [["seen", "against", "against_clip", "repeat", "pass"]] * 3
    assert {row["against"] for row in rows} == {""}
    assert {row["system"]: (row["prompt_file"], row["seen"]) for row in rows} == described


def test_hls_by_system_from_the_file_equals_the_page(world: World, tmp_path: Path) -> None:
    world.crowd(15)
    world.crowd(3, simulated=True)
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for row in export(world, tmp_path):
        if row["role"] == "test" and row["usable"] == "true":
            groups[row["system"]].append(float(row["score"]))
    shown = dump(figures.compute(study_id=world.study.pk, simulated=Simulated.WITHOUT, now=world.now))["scores"][
        "system"
    ]
    assert {row["name"]: row["mean"] for row in shown} == pytest.approx(
        {system: fmean(scores) for system, scores in groups.items()}
    )
    assert len(groups) == 3


def test_crowd_14_two_exports_are_equal_to_the_byte(world: World, tmp_path: Path) -> None:
    world.crowd(6)
    for folder in ("one", "two"):
        files.write(Source(world.study, Simulated.WITHOUT), tmp_path / folder)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(
        [
            f"{name}.{kind}"
            for name in ("ratings", "raters", "clips", "batches", "evidence", "breakdowns", "codebook")
            for kind in ("csv", "jsonl")
        ]
        + ["manifest.json"]
    )
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
        assert b"\r" not in (tmp_path / "one" / name).read_bytes()


def test_files_are_the_same_however_many_rows_are_read_at_once(world: World, tmp_path: Path) -> None:
    world.crowd(3)
    at_once, bit_by_bit = (
        files.write(Source(world.study, Simulated.WITHOUT, Format.CSV, page=page), tmp_path / name)
        for name, page in (("at-once", Window()), ("bit-by-bit", Window(size=2)))
    )
    assert at_once.files == bit_by_bit.files
    assert at_once.files["ratings.csv"].rows > 4


def test_rows_and_pages_of_ratings_say_the_same(world: World) -> None:
    world.crowd(2)
    source = Source(world.study, Simulated.WITHOUT, Format.CSV, page=Window(size=3))
    (table,) = (each for each in files.own(source) if each.name == "ratings")
    by_page = [
        dict(zip(page, cells, strict=True)) for page in table.pages(100) for cells in zip(*page.values(), strict=True)
    ]
    assert list(table.rows()) == by_page
    assert len(by_page) > 3


def test_the_manifest_has_the_hash_of_every_file(world: World, tmp_path: Path) -> None:
    world.crowd(3)
    export(world, tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    for name, facts in manifest["files"].items():
        content = (tmp_path / name).read_bytes()
        assert facts["sha256"] == hashlib.sha256(content).hexdigest()
        assert facts["bytes"] == len(content)
    assert manifest["files"]["ratings.csv"]["rows"] == len(table(tmp_path / "ratings.csv"))
    assert manifest["playback"] == "enforce"
    assert manifest["simulated"] == "without"
    assert [version["number"] for version in manifest["versions"]] == [1]


def test_each_reason_against_a_rating_is_named(world: World, tmp_path: Path, now: datetime) -> None:
    clips = world.clips("alpha") + world.clips("beta")
    session = world.session()
    good = world.batch(session)
    world.rate(good, clips[0], "human")
    world.exclude("expert", answer=world.rate(good, clips[1], "human", usable=False))
    world.rate(world.batch(session, valid=False), clips[2], "human")
    world.rate(world.batch(session, "open"), clips[3], "human")
    revoked = world.exclude("quick", answer=world.rate(good, clips[4], "human"))
    revoked.revoked_at = now
    revoked.save()
    shut_out = world.session()
    world.exclude("outside", session=shut_out)
    world.exclude("twin", rater=shut_out.rater)
    world.rate(world.batch(shut_out, valid=False), clips[5], "human")
    world.exclude("broken_audio", clip=clips[6])
    world.rate(world.batch(world.session()), clips[6], "human", usable=False)
    reasons = [row["exclusion_reasons"] for row in export(world, tmp_path)]
    assert reasons == ["", "expert", "traps", "batch_incomplete", "", "outside|traps|twin", "broken_audio"]
    assert [row["usable"] for row in table(tmp_path / "ratings.csv")].count("true") == 2


def test_nothing_that_was_said_is_written_once_its_deletion_was_asked_for(
    world: World, tmp_path: Path, now: datetime
) -> None:
    world.crowd(2)
    session = Session.objects.order_by("pk")[0]
    requests.delete_answers(session_id=session.pk, now=now)
    rows = export(world, tmp_path)
    name = Source(world.study, Simulated.WITHOUT).names.session(session.pk)
    said = ("label", "score", "justification", "note")
    assert {row[cell] for row in rows if row["session"] == name for cell in said} == {""}
    assert all(row["label"] and row["score"] for row in rows if row["session"] != name)
    assert {row["session"] for row in rows} > {name}


def test_a_trap_is_exported_and_usable_like_any_answer(world: World, tmp_path: Path) -> None:
    world.rate(world.batch(world.session()), world.clips("broken", "trap_flawed")[0], "machine")
    row = export(world, tmp_path)[0]
    assert (row["role"], row["usable"], row["exclusion_reasons"]) == ("trap_flawed", "true", "")


def test_simulated_rows_are_marked_and_left_out_unless_asked_for(world: World, tmp_path: Path) -> None:
    world.rate(world.batch(world.session()), world.clips("alpha")[0], "human")
    world.rate(world.batch(world.session(simulated=True)), world.clips("alpha")[0], "machine")
    marks = {mode: [row["simulated"] for row in export(world, tmp_path, mode)] for mode in Simulated}
    assert marks == {"without": ["false"], "with": ["false", "true"], "only": ["true"]}
    for name in ("raters", "batches"):
        assert [row["simulated"] for row in table(tmp_path / f"{name}.csv")] == ["true"]


def test_formulas_are_neutralised_in_the_csv_and_kept_in_the_jsonl(world: World, tmp_path: Path) -> None:
    clip = world.clips("alpha")[0]
    Clip.objects.filter(pk=clip.pk).update(voice="@voice", dimension="-dim")
    reason = '=HYPERLINK("http://x")\nand, "more"\r\n\t第二行\u2028end'
    world.rate(world.batch(world.session()), clip, "machine", reason=reason)
    row = export(world, tmp_path)[0]
    assert row["justification"] == f"'{reason}"
    assert (row["voice"], row["dimension"], row["score"]) == ("'@voice", "'-dim", "0")
    lossless = lines(tmp_path / "ratings.jsonl")[0]
    assert lossless["justification"] == reason
    assert (lossless["voice"], lossless["score"], lossless["usable"], lossless["box"]) == ("@voice", 0.0, True, "")


def test_seconds_are_counted_from_what_the_server_saw(world: World, tmp_path: Path) -> None:
    clips = world.clips("alpha")
    batch = world.batch(world.session())
    # The clips last half a second and their play begins 2 s after the trial is shown.
    world.rate(batch, clips[0], "human", seconds=9.25)
    world.rate(batch, clips[1], "human", seconds=9.25, evidence={"played": 1, "since_end": 3.25})
    world.rate(batch, clips[2], "human", seconds=2.3)
    world.rate(batch, clips[3], "human", evidence={"played": "much", "since_end": "long"})
    answer = world.rate(batch, clips[4], "human")
    answer.trial.clips.update(play_began_at=None, plays=0)
    rows = export(world, tmp_path)
    assert [row["response_seconds"] for row in rows] == ["9.25", "9.25", "2.3", "9", "9"]
    assert [row["decision_seconds"] for row in rows] == ["6.75", "3.25", "0", "6.5", ""]
    assert [row["quick"] for row in rows] == ["false", "false", "true", "false", ""]
    assert [row["played_fraction"] for row in rows][3] == ""


def test_a_reload_between_two_plays_makes_no_decision_quick(world: World, tmp_path: Path) -> None:
    clips = world.clips("alpha")
    batch = world.batch(world.session())
    # Heard at 2.5 s, loaded again, answered at 9 s; the browser's first_end is of the play after the reload.
    world.rate(batch, clips[0], "human", evidence={"first_end": 6.9, "since_end": 6.4})
    # Nobody has heard a clip before it can have ended.
    world.rate(batch, clips[1], "human", evidence={"since_end": 1e300})
    world.rate(batch, clips[2], "human", evidence={"since_end": 0})
    world.rate(batch, clips[3], "human", seconds=2.3, evidence={"since_end": 5})
    rows = export(world, tmp_path)
    assert [row["decision_seconds"] for row in rows] == ["6.4", "6.5", "0", "0"]
    assert [row["quick"] for row in rows] == ["false", "false", "true", "true"]


def test_the_place_of_a_trial_counts_earlier_batches(world: World, tmp_path: Path) -> None:
    clips = world.clips("alpha")
    session = world.session()
    world.rate(world.batch(session), clips[0], "human")
    world.batch(session, size=4)
    third = world.batch(session)
    world.rate(third, clips[1], "human")
    world.rate(third, clips[2], "human")
    assert [row["trial_index"] for row in export(world, tmp_path)] == ["1", "15", "16"]


def test_people_batches_and_clips_have_their_own_tables(world: World, tmp_path: Path) -> None:
    session = world.session(outcome="complete")
    batch = world.batch(session, valid=False)
    batch.trap_counts = {"flawed_right": 0, "flawed": 1, "human_right": 2, "humans": 2}
    batch.save()
    world.rate(batch, world.clips("alpha")[0], "human")
    world.session()
    rating = export(world, tmp_path)[0]
    first, second = table(tmp_path / "raters.csv")
    assert (first["rater"], first["session"]) == (rating["rater"], rating["session"])
    assert (first["outcome"], first["answers"], first["answers_usable"]) == ("complete", "1", "0")
    assert (second["outcome"], second["answers"]) == ("", "0")
    [row] = table(tmp_path / "batches.csv")
    assert (row["batch_valid"], row["exclusion_reasons"]) == ("false", "traps")
    assert (row["flawed_right"], row["humans"]) == ("0", "2")
    clips = table(tmp_path / "clips.csv")
    assert len(clips) == Clip.objects.filter(study=world.study).count()
    assert [row["clip"] for row in clips] == sorted(row["clip"] for row in clips)
    assert next(row for row in clips if row["clip"] == rating["clip"])["text"] == "Sentence number 0."


def test_no_file_holds_the_ids_of_the_platform_or_of_the_database(world: World, tmp_path: Path) -> None:
    session = world.session()
    type(session).objects.filter(pk=session.pk).update(ext_study="EXTSTUDY", ext_session="EXTSESSION")
    world.rate(world.batch(session), world.clips("alpha")[0], "human")
    export(world, tmp_path / "out")
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert b"EXTS" not in everything
    assert world.study.secret.encode() not in everything


def test_the_codebook_describes_every_column_of_every_table(world: World, tmp_path: Path) -> None:
    export(world, tmp_path)
    described = {(row["table"], row["column"]) for row in table(tmp_path / "codebook.csv")}
    for path in tmp_path.glob("*.csv"):
        header = path.read_text(encoding="utf-8").split("\n")[0].split(",")
        assert {(path.stem, name) for name in header} <= described


def test_the_command_writes_the_files_and_says_so(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.crowd(2)
    call_command("export_study", world.study.slug, "--out", str(tmp_path / "new" / "folder"))
    assert "ratings.csv" in capsys.readouterr().out
    assert table(tmp_path / "new" / "folder" / "ratings.csv")
    with pytest.raises(CommandError, match="no study"):
        call_command("export_study", "missing", "--out", str(tmp_path))


def test_an_export_job_ends_in_a_zip_of_the_same_files(world: World, tmp_path: Path, now: datetime) -> None:
    world.crowd(3)
    archives = []
    for _ in range(2):
        row = building.request_export(study_id=world.study.pk, simulated=Simulated.WITHOUT, user=None, now=now)
        assert building.build_export(pk=row.pk, clock=lambda: now)
        row.refresh_from_db()
        assert (row.state, row.percent, row.bytes > 0) == ("done", 100, True)
        with storage.open_file(row.file) as file:
            archives.append(file.read())
    assert archives[0] == archives[1]
    (tmp_path / "a.zip").write_bytes(archives[0])
    export(world, tmp_path / "direct")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        for name in archive.namelist():
            assert archive.read(name) == (tmp_path / "direct" / Path(name).name).read_bytes()
        assert len(archive.namelist()) == 15


def test_an_export_that_is_on_its_way_is_not_begun_twice(world: World, now: datetime) -> None:
    first = building.request_export(study_id=world.study.pk, simulated=Simulated.WITHOUT, user=None, now=now)
    again = building.request_export(study_id=world.study.pk, simulated=Simulated.WITHOUT, user=None, now=now)
    other = building.request_export(study_id=world.study.pk, simulated=Simulated.ONLY, user=None, now=now)
    assert first.pk == again.pk != other.pk


def test_a_worker_whose_export_was_taken_over_stops_and_stores_nothing(
    world: World, now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.crowd(2)
    row = building.request_export(study_id=world.study.pk, simulated=Simulated.WITHOUT, user=None, now=now)
    before = {path for path in files.rglob("*") if path.is_file()}
    real = ratings.rows

    def taken(source: Source) -> object:
        Export.objects.filter(pk=row.pk).update(tries=2, lease_until=now + timedelta(minutes=2))
        return real(source)

    monkeypatch.setattr(ratings, "rows", taken)
    assert not building.build_export(pk=row.pk, clock=lambda: now)
    assert {path for path in files.rglob("*") if path.is_file()} == before


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_clips_end_with_what_is_known_of_the_uploaded_files_coding(now: datetime) -> None:
    study = make_study(now=now, launch=False)
    Clip.objects.filter(study=study, file="alpha/0.wav").update(codec="pcm", bit_depth=24, clipped=0.25)
    rows = {row["file"]: row for row in tables.table(study.pk)}
    assert [column.name for column in CLIPS[-9:-6]] == ["codec", "bit_depth", "clipped"]
    assert [rows["alpha/0.wav"][column.name] for column in CLIPS[-9:-6]] == ["pcm", 24, 0.25]
    assert [rows["beta/0.wav"][column.name] for column in CLIPS[-9:-6]] == ["", None, None]
