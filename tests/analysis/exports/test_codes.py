"""codes.csv: what experts found in raters' words, with the words themselves."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path

import pytest

from analysis.data.models import Simulated
from analysis.exports import files
from analysis.exports.models import Profile
from analysis.exports.source import Source
from raters.models import Answer
from raters.privacy import requests
from raters.rating.rules.codes import CodeMark
from studies.models import Study
from tests import passages
from tests.raters.experts.coding import BREATH, code, coded_study, undo, write
from tests.raters.experts.people import expert

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    study = coded_study(now, people=2)
    write(study, "=停顿 is too long, I think")
    return study


def exported(study: Study, folder: Path, name: str = "codes", **how: Profile) -> list[dict[str, str]]:
    files.write(Source(study, Simulated.WITHOUT, **how), folder)
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_code_has_a_row_with_its_words_and_can_be_joined_with_its_rating(
    study: Study, now: datetime, tmp_path: Path
) -> None:
    eva = expert("eva", study)
    code(study, eva, now, [CodeMark("pauses", "machine", 1, 3), CodeMark("speed", "machine", 0, 3), BREATH], note="n")
    code(study, eva, now, [])
    first, second, third, nothing = exported(study, tmp_path)
    assert [row["code"] for row in (first, second, third)] == ["pauses", "speed", "paralinguistics"]
    assert (first["quote"], first["start"], first["stop"], first["polarity"]) == ("停顿", "1", "3", "machine")
    assert (second["quote"], third["quote"], third["start"]) == ("'=停顿", "", "")
    assert (third["code_name"], third["code_dimension"]) == (
        "Breath, laughter and the like",
        "Naturalness and human-like expressiveness",
    )
    assert first["coding"] == second["coding"] != nothing["coding"]
    assert (nothing["code"], nothing["polarity"], nothing["usable"]) == ("", "", "true")
    join = ("session", "rater", "batch", "position_in_batch", "clip")
    [rating] = [row for row in exported(study, tmp_path, "ratings") if all(row[key] == first[key] for key in join)]
    assert rating["usable"] == "true"
    assert "eva" not in str(first)


def test_what_was_taken_back_is_told_and_quotes_leave_with_their_reason(
    study: Study, now: datetime, tmp_path: Path
) -> None:
    eva = expert("eva", study)
    made = code(study, eva, now, [CodeMark("pauses", "machine", 1, 3)])
    undo(study=study, user=eva, key=made.key, now=now)
    [row] = exported(study, tmp_path)
    assert (row["revoked_at"] != "", row["quote"]) == (True, "停顿")
    Answer.objects.update(reason="")
    [row] = exported(study, tmp_path)
    assert (row["quote"], row["start"]) == ("", "1")
    assert "停顿" not in "".join(path.read_text(encoding="utf-8") for path in tmp_path.iterdir() if path.is_file())


def test_a_quote_is_blank_from_the_moment_that_its_rater_asks_for_deletion(
    study: Study, now: datetime, tmp_path: Path
) -> None:
    made = code(study, expert("eva", study), now, [CodeMark("pauses", "machine", 1, 3)], note="a long 停顿")
    requests.delete_answers(session_id=made.item.answer.trial.batch.session_id, now=now)
    [row] = exported(study, tmp_path)
    assert (row["code"], row["quote"], row["note"], row["usable"]) == ("pauses", "", "", "false")


def test_comments_name_their_question(now: datetime, tmp_path: Path) -> None:
    study = passages.make_passages(now=now, coding__mode="all", coding__double_share=0.0)
    passages.listen(study, now, "other", "correct")
    code(study, expert("eva", study), now, [CodeMark("proper_noun", "", 2, 7)])
    [row] = exported(study, tmp_path)
    assert row["question"] in {each["question"] for each in exported(study, tmp_path, "questions")}
    assert (row["code"], row["quote"], row["polarity"]) == ("proper_noun", "heard", "")


def test_a_study_without_codes_has_no_table_of_them_and_its_settings_are_told(study: Study, tmp_path: Path) -> None:
    manifest = files.write(Source(study, Simulated.WITHOUT), tmp_path)
    assert "codes.csv" not in manifest.files
    assert manifest.rules.coding["mode"] == "all"


def test_while_scores_are_hidden_codes_are_too(study: Study, now: datetime, tmp_path: Path) -> None:
    code(study, expert("eva", study), now, [BREATH])
    assert "codes.csv" not in files.write(Source(study, Simulated.WITHOUT, is_blind=True), tmp_path).files


def test_published_codes_quote_nobody(study: Study, now: datetime, tmp_path: Path) -> None:
    code(study, expert("eva", study), now, [CodeMark("pauses", "machine", 1, 3)], note="secret thought")
    [row] = exported(study, tmp_path, profile=Profile.OPEN)
    assert row["code"] == "pauses"
    assert not {"quote", "note"} & set(row)


def test_the_codebook_knows_every_column(study: Study, now: datetime, tmp_path: Path) -> None:
    code(study, expert("eva", study), now, [BREATH])
    [row] = exported(study, tmp_path)
    assert {each["column"] for each in exported(study, tmp_path, "codebook") if each["table"] == "codes"} == set(row)
    [line] = (tmp_path / "codes.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["start"] is None
