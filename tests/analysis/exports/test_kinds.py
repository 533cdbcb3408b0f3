"""Files of each task type: places, questions, notes and breakdowns."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path

import pytest

from analysis.data.models import Simulated
from analysis.exports import files as tables
from analysis.exports.models import Profile
from analysis.exports.source import Source
from analysis.live import figures
from analysis.sections.results import dump
from raters.models import Rating, TrialClip
from studies.models import Clip, Study
from tests.analysis.rated import Rated, of, took
from tests.passages import listen, make_passages

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def export(study: Study, folder: Path, profile: Profile = Profile.ANALYSIS) -> dict[str, list[dict[str, str]]]:
    """Write a study's files and read the tables back."""
    tables.write(Source(study, Simulated.WITHOUT, profile=profile), folder)
    found = {}
    for path in folder.glob("*.csv"):
        with open(path, encoding="utf-8", newline="") as file:
            found[path.stem] = list(csv.DictReader(file))
    return found


def test_each_row_of_a_screen_is_of_the_clip_at_its_place(files: Path, now: datetime, tmp_path: Path) -> None:
    world = Rated(now, kind="mushra", anchors=True).everybody(3)
    rows = export(world.study, tmp_path)["ratings"]
    ratings = list(Rating.objects.select_related("clip__system").order_by("pk"))
    assert len(rows) == len(ratings) > 0
    for row, rating in zip(rows, ratings, strict=True):
        # The reference stands on its screen twice, with a play counter for each place.
        heard = TrialClip.objects.get(trial=rating.trial_id, place=rating.place or 0)
        assert (row["place"], row["plays"]) == (str(heard.place), str(1 + heard.place))
        assert row["clip"] == heard.clip.file
        assert (row["role"], row["clip_role"]) == ("test", heard.clip.role)
        assert row["system"] == heard.clip.system.name
        assert float(row["response_seconds"]) == pytest.approx(took(rating.trial) / 4, abs=0.001)
        assert (row["question"], row["golden"], row["note"]) == ("", "false", "")


def test_a_hidden_reference_counts_as_human_whatever_its_manifest_calls_it(
    files: Path, now: datetime, tmp_path: Path
) -> None:
    world = Rated(now, kind="mushra").everybody(3)
    alpha = Clip.objects.filter(study=world.study, system__name="alpha").first()
    assert alpha is not None
    Clip.objects.filter(study=world.study, role="reference").update(system=alpha.system)
    rows = export(world.study, tmp_path)["ratings"]
    assert {row["system"] for row in rows if row["clip_role"] == "reference"} == {"human"}
    found = dump(figures.compute(study_id=world.study.pk, simulated=Simulated.WITHOUT, now=now))
    by_file: dict[str, list[float]] = {}
    for row in rows:
        if row["usable"] == "true" and row["role"] == "test":
            by_file.setdefault(row["system"], []).append(float(row["score"]))
    assert of(found, "system") == pytest.approx({name: sum(own) / len(own) for name, own in by_file.items()})


def test_questions_are_listed_an_option_a_row_and_named_by_the_ratings(
    files: Path, now: datetime, tmp_path: Path
) -> None:
    study = make_passages(now=now, questions=2, golden=1)
    person = listen(study, now, "other", "distractor_1")
    Rating.objects.filter(code="other", part="question").update(note="=HYPERLINK(1)")
    found = export(study, tmp_path)
    options = [row for row in found["questions"] if row["question"] == "text-0/1"]
    assert [(row["option"], row["text"], row["correct"], row["error"]) for row in options] == [
        ("1", "Seven", "true", ""),
        ("2", "Eleven", "false", "phonetic"),
        ("3", "A dozen", "false", "semantic"),
    ]
    assert {(row["text_id"], row["golden"], row["prompt"]) for row in options} == {
        ("text-0", "false", "How many were there, text-0, 1?")
    }
    assert [row["golden"] for row in found["questions"] if row["text_id"] == ""] == ["true"] * 3
    rows = {(row["question"], row["part"]): row for row in found["ratings"]}
    assert rows["text-0/1", "question"]["label"] == "other"
    assert rows["text-0/1", "question"]["note"] == "'=HYPERLINK(1)"
    assert rows["text-0/1", "error"]["label"] == "other"
    assert rows["text-0/2", "error"]["label"] == "phonetic"
    assert rows["golden/1", "golden"]["golden"] == "true"
    assert rows["text-0/2", "question"]["golden"] == "false"
    lossless = [json.loads(line) for line in (tmp_path / "ratings.jsonl").read_text(encoding="utf-8").splitlines()]
    assert "=HYPERLINK(1)" in [row["note"] for row in lossless]
    assert person.is_done


def test_rule_d11_the_open_export_has_no_question_on_a_black_box_passage(
    files: Path, now: datetime, tmp_path: Path
) -> None:
    study = make_passages(now=now, questions=2, golden=1)
    listen(study, now, "other", "distractor_1")
    Clip.objects.filter(study=study).update(box="black")
    for profile, is_there in ((Profile.ANALYSIS, True), (Profile.OPEN, False)):
        found = export(study, tmp_path / profile, profile)
        assert ("How many were there" in json.dumps(found)) is is_there
        assert {bool(row["text"]) for row in found["questions"] if row["text_id"]} == {is_there}


def test_breakdowns_are_exported_as_the_page_has_them(files: Path, now: datetime, tmp_path: Path) -> None:
    world = Rated(now, kind="hfr_granular").everybody(12)
    found = world.figures()["breakdowns"]
    rows = export(world.study, tmp_path)["breakdowns"]
    shown = {
        (table["title"], by, group["name"], line["code"]): (str(group["counts"][number]), str(group["of"]))
        for table in found
        for by, groups in table["groups"].items()
        for group in groups
        for number, line in enumerate(table["lines"])
    }
    assert {
        (row["breakdown"], row["grouped_by"], row["group"], row["code"]): (row["count"], row["of"]) for row in rows
    } == shown
    assert {row["grouped_by"] for row in rows} == {"system", "domain", "benchmark", "condition", "overall"}
    for row in rows:
        assert float(row["percent"]) == pytest.approx(100 * int(row["count"]) / int(row["of"]), abs=1e-5)


def test_a_file_is_there_only_where_the_study_has_what_is_in_it(files: Path, now: datetime, tmp_path: Path) -> None:
    names = {kind: set(export(Rated(now, kind=kind).study, tmp_path / kind)) for kind in ("hfr", "sp_mcqa", "mushra")}
    assert names["mushra"] == {"ratings", "raters", "clips", "batches", "evidence", "codebook"}
    assert names["hfr"] == {*names["mushra"], "breakdowns"}
    assert names["sp_mcqa"] == {*names["mushra"], "breakdowns", "questions"}
    described = {
        (row["table"], row["column"]) for row in csv.DictReader((tmp_path / "sp_mcqa" / "codebook.csv").open())
    }
    for name in ("questions", "breakdowns", "ratings"):
        header = (tmp_path / "sp_mcqa" / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
        assert {(name, column) for column in header} <= described


def test_the_manifest_names_the_score_and_the_rule_on_raters(files: Path, now: datetime, tmp_path: Path) -> None:
    for kind, part, rule in (("sp_mcqa", "question", "golden"), ("hfr", "label", "")):
        export(Rated(now, kind=kind).study, tmp_path / kind)
        manifest = json.loads((tmp_path / kind / "manifest.json").read_text())
        assert (manifest["score"]["part"], manifest["rules"]["rater"]) == (part, rule)
        assert manifest["score"]["unit"] == "%"
