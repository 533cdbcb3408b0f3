"""Exports for payment, for analysis, for publication, and while scores are hidden; CSV and Parquet say the same."""

from __future__ import annotations

import csv
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.data import hiding
from analysis.data.models import ScoreOpening, Simulated
from analysis.exports import building
from analysis.exports import files as tables
from analysis.exports.models import Export, Format, Layout, Profile
from analysis.exports.source import Source
from core.errors import Conflict
from core.files import storage
from raters.models import Identity
from studies.models import Clip, Study
from tests.analysis.exports.test_tables import lines, table
from tests.analysis.rated import Rated
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text

REASON = "A breath before the last word"


def written(world: World, folder: Path, **options: Any) -> Path:
    world.study.refresh_from_db()
    tables.write(Source(world.study, Simulated.WITHOUT, **options), folder)
    return folder


def everything(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()))


def test_parquet_has_the_rows_and_types_of_the_other_files(world: World, tmp_path: Path) -> None:
    world.crowd(8)
    Clip.objects.filter(study=world.study, system__name="alpha").update(voice="=alpha")
    own, parquet = written(world, tmp_path / "csv"), written(world, tmp_path / "parquet", format=Format.PARQUET)
    names = {path.stem for path in own.glob("*.csv")} - {"codebook"}
    assert {path.stem for path in parquet.glob("*.parquet")} == names
    assert (parquet / "codebook.csv").read_bytes() == (own / "codebook.csv").read_bytes()
    kinds = {row["column"]: row["type"] for row in table(own / "codebook.csv") if row["table"] == "ratings"}
    arrow = {"number": "double", "boolean": "bool", "time": "timestamp[ms, tz=UTC]"}
    file = pq.ParquetFile(parquet / "ratings.parquet")
    assert {field.name: str(field.type) for field in file.schema_arrow} == {
        name: arrow.get(kind, "string") for name, kind in kinds.items()
    }
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    for name in names:
        found = pq.read_table(parquet / f"{name}.parquet").to_pylist()
        assert [{key: plain(value) for key, value in row.items()} for row in found] == lines(own / f"{name}.jsonl")


def plain(value: Any) -> Any:
    """Return what JSON has for a value of Parquet."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value


def test_a_parquet_file_of_several_groups_reads_as_one(world: World, tmp_path: Path, monkeypatch: Any) -> None:
    world.crowd(4)
    monkeypatch.setattr("analysis.exports.writers.GROUP", 7)
    folder = written(world, tmp_path / "parquet", format=Format.PARQUET)
    assert pq.ParquetFile(folder / "ratings.parquet").num_row_groups == 6
    read = pd.read_parquet(folder / "ratings.parquet")
    assert len(read) == 40
    assert read["answered_at"].dt.tz is not None


def test_two_parquet_exports_are_equal_to_the_byte(world: World, tmp_path: Path) -> None:
    world.crowd(3)
    one, two = (written(world, tmp_path / name, format=Format.PARQUET) for name in ("one", "two"))
    assert (one / "ratings.parquet").read_bytes() == (two / "ratings.parquet").read_bytes()


def test_rule_d11_the_open_export_withholds_texts_of_black_box_clips(world: World, tmp_path: Path) -> None:
    world.crowd(6)
    black = Clip.objects.filter(study=world.study, system__name="alpha", text__name="text-1")
    black.update(box="black")
    rows = table(written(world, tmp_path / "open", profile=Profile.OPEN) / "clips.csv")
    assert {row["text_id"] for row in rows if row["text"] == "" and row["text_id"]} == {"text-1"}
    assert "Sentence number 1." not in everything(tmp_path / "open")
    assert "Sentence number 2." in everything(tmp_path / "open")
    assert "Sentence number 1." in everything(written(world, tmp_path / "analysis"))


def test_the_open_export_has_no_free_text_no_times_of_day_and_no_platform_ids(world: World, tmp_path: Path) -> None:
    world.crowd(6)
    folder = written(world, tmp_path / "open", profile=Profile.OPEN)
    found = everything(folder)
    assert REASON not in found
    assert "T09:30" not in found
    assert ",ext-" not in found
    row = table(folder / "ratings.csv")[0]
    assert {"justification", "note"}.isdisjoint(row)
    assert (row["served_at"], row["answered_at"]) == ("2026-03-02", "2026-03-02")
    assert row["score"] != ""
    listed = {(each["table"], each["column"]) for each in table(folder / "codebook.csv")}
    assert ("ratings", "justification") not in listed
    types = {each["type"] for each in table(folder / "codebook.csv") if each["column"] == "served_at"}
    assert types == {"day"}
    parquet = written(world, tmp_path / "parquet", profile=Profile.OPEN, format=Format.PARQUET)
    assert str(pq.read_schema(parquet / "ratings.parquet").field("served_at").type) == "date32[day]"


def test_the_open_export_withholds_the_files_of_speaker_prompts(world: World, tmp_path: Path) -> None:
    world.crowd(2)
    Clip.objects.filter(study=world.study).update(prompt_file="volunteers/anna-miller.wav", seen="yes")
    folder = written(world, tmp_path / "open", profile=Profile.OPEN)
    for name in ("clips", "ratings"):
        row = table(folder / f"{name}.csv")[0]
        assert "prompt_file" not in row
        assert row["seen"] == "yes"
    assert "anna-miller" not in everything(folder)
    assert "anna-miller" in everything(written(world, tmp_path / "analysis"))


def test_pseudonyms_of_the_open_export_can_not_be_joined_with_the_others(world: World, tmp_path: Path) -> None:
    world.crowd(6)
    own, published = written(world, tmp_path / "own"), written(world, tmp_path / "open", profile=Profile.OPEN)
    for name in ("rater", "session"):
        here = {row[name] for row in table(own / "raters.csv")}
        there = {row[name] for row in table(published / "raters.csv")}
        assert len(here) == len(there) == 6
        assert here.isdisjoint(there)
        # Within the export they still join its tables.
        assert {row[name] for row in table(published / "ratings.csv")} == there


def test_payment_has_platform_ids_and_outcomes_and_nothing_that_was_rated(world: World, tmp_path: Path) -> None:
    world.crowd(4)
    world.crowd(1, simulated=True)
    for rater in (session.rater for session in world.study.sessions.filter(simulated=False)):
        Identity.objects.store(rater=rater, source="prolific", person=f"pid-{rater.pk}")
    folder = written(world, tmp_path / "pay", profile=Profile.PAYMENT)
    assert {path.name for path in folder.iterdir()} == {
        "payment.csv",
        "payment.jsonl",
        "codebook.csv",
        "codebook.jsonl",
        "manifest.json",
    }
    rows = table(folder / "payment.csv")
    assert len(rows) == 4
    assert all(row["external_person"].startswith("pid-") for row in rows)
    assert all(row["external_session"].startswith("ext-") for row in rows)
    assert {row["outcome"] for row in rows} == {"complete"}
    assert {"label", "score", "rater"}.isdisjoint(rows[0])
    assert REASON not in everything(folder)
    # It leads to the rows of the analysis by the session alone.
    own = {row["session"] for row in table(written(world, tmp_path / "own") / "raters.csv")}
    assert {row["session"] for row in rows} <= own


@pytest.fixture
def hidden(db: None, files: Path, now: datetime) -> World:
    """Return a live study with answers and hidden scores."""
    world = World(now, {"results__hide_scores": True})
    world.crowd(6)
    return world


def test_an_export_with_hidden_scores_lacks_what_was_answered(hidden: World, tmp_path: Path) -> None:
    folder = written(hidden, tmp_path / "blind", is_blind=True)
    row = table(folder / "ratings.csv")[0]
    assert {"label", "score", "justification", "note"}.isdisjoint(row)
    assert {"usable", "batch_valid", "decision_seconds"} <= set(row)
    assert not (folder / "breakdowns.csv").exists()
    assert REASON not in everything(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["scores_hidden"] is True
    assert any("hidden until the study is closed" in note for note in manifest["notes"])


def test_how_many_rows_an_answer_has_does_not_tell_it_while_scores_are_hidden(
    db: None, files: Path, now: datetime, tmp_path: Path
) -> None:
    # A marker is only asked for where the answer was Machine.
    world = Rated(now, kind="hfr_granular").everybody(12)
    assert {row["part"] for row in table(written(world, tmp_path / "own") / "ratings.csv")} > {"label"}
    assert {row["part"] for row in table(written(world, tmp_path / "blind", is_blind=True) / "ratings.csv")} == {
        "label"
    }


def test_other_tools_files_are_refused_while_scores_are_hidden(hidden: World, now: datetime) -> None:
    with pytest.raises(Conflict, match="hold nothing else"):
        building.request_export(
            study_id=hidden.study.pk, simulated=Simulated.WITHOUT, user=None, now=now, layout=Layout.SOMOS
        )


def test_the_command_needs_a_reason_to_write_hidden_scores_and_logs_it(hidden: World, tmp_path: Path) -> None:
    call_command("export_study", hidden.study.slug, out=tmp_path / "blind")
    assert "score" not in table(tmp_path / "blind" / "ratings.csv")[0]
    call_command("export_study", hidden.study.slug, out=tmp_path / "open", open_scores="For the interim report.")
    assert "score" in table(tmp_path / "open" / "ratings.csv")[0]
    [opening] = ScoreOpening.objects.all()
    assert (opening.by, opening.reason) == (None, "For the interim report.")
    looks = table(tmp_path / "open" / "score_looks.csv")
    assert [(row["what"], row["page"], row["reason"]) for row in looks] == [
        ("opened", "", "For the interim report."),
        ("looked", "export_study", ""),
    ]


def built(client: Client, world: World, now: datetime, **choices: str) -> Export:
    sent = client.post(reverse("analysis:export", args=[world.study.slug]), choices)
    assert sent.status_code == 302
    row = Export.objects.latest("pk")
    building.build_export(pk=row.pk, clock=lambda: now)
    row.refresh_from_db()
    return row


def download(client: Client, world: World, row: Export) -> Any:
    return client.get(reverse("analysis:export_download", args=[world.study.slug, row.pk]))


def test_a_file_with_scores_is_not_given_to_whom_they_are_hidden_from(hidden: World, now: datetime) -> None:
    rita, admin = researcher("rita"), User.objects.create_superuser("admin", password="pw")
    Study.objects.filter(pk=hidden.study.pk).update(owner=rita)
    hiding.open_early(study=hidden.study, user=admin, reason="To look after the traps.", now=now)
    open_row = built(logged_in(admin), hidden, now)
    blind_row = built(logged_in(rita), hidden, now)
    assert (open_row.is_blind, blind_row.is_blind) == (False, True)
    assert download(logged_in(rita), hidden, open_row).status_code == 403
    assert download(logged_in(rita), hidden, blind_row).status_code == 200
    assert download(logged_in(admin), hidden, open_row).status_code == 200
    with zipfile.ZipFile(storage.open_file(blind_row.file)) as archive:
        name = next(name for name in archive.namelist() if name.endswith("ratings.csv"))
        header = next(csv.reader(archive.read(name).decode().splitlines()))
    assert "score" not in header


def test_platform_ids_are_for_those_who_may_see_identities(world: World, now: datetime) -> None:
    world.crowd(2)
    rita = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    page = reverse("analysis:export", args=[world.study.slug])
    assert 'value="payment"' not in text(logged_in(rita).get(page))
    assert logged_in(rita).post(page, {"profile": "payment"}).status_code == 403
    paid = built(logged_in(User.objects.create_superuser("admin", password="pw")), world, now, profile="payment")
    assert download(logged_in(rita), world, paid).status_code == 403
    rita.user_permissions.add(Permission.objects.get(codename="view_identity"))
    assert 'value="payment"' in text(logged_in(rita).get(page))
    assert download(logged_in(rita), world, paid).status_code == 200


def test_choices_that_contradict_each_other_are_told_on_the_page(world: World) -> None:
    rita = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    page = reverse("analysis:export", args=[world.study.slug])
    sent = logged_in(rita).post(page, {"layout": "somos", "format": "parquet"})
    assert sent.status_code == 422
    assert "Other tools read CSV" in text(sent)
    assert not Export.objects.exists()


def test_the_archive_has_the_folders_of_another_tool(world: World, now: datetime) -> None:
    world.crowd(6)
    rita = researcher("rita")
    Study.objects.filter(pk=world.study.pk).update(owner=rita)
    row = built(logged_in(rita), world, now, layout="voicemos")
    with zipfile.ZipFile(storage.open_file(row.file)) as archive:
        inside = f"{world.study.slug}-without/DATA/sets/TRAINSET"
        assert inside in archive.namelist()
    assert "voicemos" in download(logged_in(rita), world, row).headers["Content-Disposition"]
