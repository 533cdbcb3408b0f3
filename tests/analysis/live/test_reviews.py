"""What experts' decisions change where results are seen: on the page and in the files."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path

import pytest

from analysis.data.models import Simulated
from analysis.exports import files
from analysis.exports.source import Source
from analysis.live import figures
from analysis.sections.results import dump
from raters.models import Trial
from raters.privacy import requests
from studies.models import Study
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import answers, change, decide, rated_study, undo

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    return rated_study(now, people=2)


def scores(study: Study, now: datetime) -> dict[str, tuple[float, int]]:
    shown = dump(figures.compute(study_id=study.pk, simulated=Simulated.WITHOUT, now=now))
    return {row["name"]: (row["mean"], row["ratings"]) for row in shown["scores"]["system"]}


def exported(study: Study, folder: Path, name: str) -> list[dict[str, str]]:
    files.write(Source(study, Simulated.WITHOUT), folder)
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_an_inconsistent_answer_leaves_scores_and_files_and_comes_back(
    study: Study, now: datetime, tmp_path: Path
) -> None:
    eva = expert("eva", study)
    before = scores(study, now)
    made = decide(study, eva, now, "inconsistent", note="=says robot")
    system = made.answer.trial.clips.get().clip.system.name
    assert scores(study, now).get(system, (0, 0))[1] == before[system][1] - 1
    [out] = [row for row in exported(study, tmp_path, "ratings") if row["exclusion_reasons"]]
    assert (out["usable"], out["exclusion_reasons"]) == ("false", "expert_review")
    [row] = exported(study, tmp_path, "reviews")
    assert (row["session"], row["rater"], row["batch"]) == (out["session"], out["rater"], out["batch"])
    assert (row["clip"], row["position_in_batch"]) == (out["clip"], out["position_in_batch"])
    assert (row["decision"], row["purpose"], row["usable"]) == ("inconsistent", "first", "false")
    assert (row["note"], row["revoked_at"]) == ("'=says robot", "")
    assert "eva" not in str(row)
    undo(study=study, user=eva, key=made.key, now=now)
    assert scores(study, now) == before
    assert not [row for row in exported(study, tmp_path, "ratings") if row["exclusion_reasons"]]
    [row] = exported(study, tmp_path, "reviews")
    assert (row["revoked_at"] != "", row["answer_state"], row["usable"]) == (True, "open", "true")


def test_a_note_on_a_reason_is_blank_once_its_rater_asks_for_deletion(
    study: Study, now: datetime, tmp_path: Path
) -> None:
    made = decide(study, expert("eva", study), now, "inconsistent", note="says robot")
    requests.delete_answers(session_id=made.answer.trial.batch.session_id, now=now)
    [row] = exported(study, tmp_path, "reviews")
    assert (row["decision"], row["note"], row["usable"]) == ("inconsistent", "", "false")


def test_a_rater_held_out_by_the_limit_carries_its_rule(study: Study, now: datetime, tmp_path: Path) -> None:
    eva = expert("eva", study)
    change(study, inconsistent_limit=0.0, inconsistent_least=1)
    made = decide(study, eva, now, "inconsistent")
    rows = exported(study, tmp_path, "ratings")
    out = {row["exclusion_reasons"] for row in rows if row["usable"] == "false"}
    assert out == {"expert_review|inconsistent_reasons", "inconsistent_reasons"}
    assert Trial.objects.filter(batch=made.answer.trial.batch, usable=True).count() == 0


def test_a_study_without_reviews_has_no_table_of_them(study: Study, tmp_path: Path) -> None:
    manifest = files.write(Source(study, Simulated.WITHOUT), tmp_path)
    assert "reviews.csv" not in manifest.files
    assert manifest.rules.expert_review["mode"] == "all"


def test_the_codebook_knows_every_column_of_the_reviews(study: Study, now: datetime, tmp_path: Path) -> None:
    decide(study, expert("eva", study), now)
    [row] = exported(study, tmp_path, "reviews")
    known = {each["column"] for each in exported(study, tmp_path, "codebook") if each["table"] == "reviews"}
    assert known == set(row)
    lines = (tmp_path / "reviews.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["decision"] for line in lines] == ["consistent"]


def test_scores_say_that_a_review_is_pending_until_it_is_done(study: Study, now: datetime) -> None:
    eva = expert("eva", study)

    def pending(simulated: Simulated = Simulated.WITHOUT) -> int:
        return figures.compute(study_id=study.pk, simulated=simulated, now=now).review_pending

    assert pending() == len(answers(study)) == 14
    assert pending(Simulated.ONLY) == 0
    decide(study, eva, now, "inconsistent")
    decide(study, eva, now, "cannot_tell")
    assert pending() == 12
    change(study, double_share=1.0)
    decide(study, eva, now)
    # One review of two is not the end of it.
    assert pending() == 12
    change(study, mode="off")
    assert pending() == 0
