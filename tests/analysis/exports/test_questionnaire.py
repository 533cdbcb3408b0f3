"""questionnaire.csv: what raters said about themselves, under pseudonyms, and what of it may be published."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from analysis.data.models import Simulated
from analysis.exports import files
from analysis.exports.models import Profile
from analysis.exports.questionnaire import COLUMNS, LEAST
from analysis.exports.questionnaire import rows as questionnaire_rows
from analysis.exports.source import Source
from raters.models import Session
from raters.sessions import questionnaire
from raters.sessions.questionnaire import QuestionnaireAnswer
from tests.analysis.exports.test_tables import table
from tests.analysis.report.made import gathered
from tests.analysis.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
SETTINGS = {
    "questionnaire__gender": True,
    "questionnaire__languages": True,
    "questionnaire__questions": ["Do you sing? | Yes, often | No", "Anything else?"],
}


@pytest.fixture
def world(now: datetime, files: Path) -> World:
    return World(now, SETTINGS)


def tell(world: World, *told: QuestionnaireAnswer, simulated: bool = False) -> Session:
    session = world.session(outcome="complete", simulated=simulated)
    Session.objects.filter(pk=session.pk).update(step="questions")
    return questionnaire.store(session_id=session.pk, responses=told, now=world.now)


def export(world: World, folder: Path, **options: Any) -> list[dict[str, str]]:
    files.write(Source(world.study, Simulated.WITHOUT, **options), folder)
    return table(folder / "questionnaire.csv")


def test_every_question_of_a_session_is_a_row_that_explains_itself(world: World, tmp_path: Path) -> None:
    told = (
        QuestionnaireAnswer("gender", "self_described", "agender"),
        QuestionnaireAnswer("languages", "en|zh"),
        QuestionnaireAnswer("own_1", "1"),
    )
    tell(world, *told, QuestionnaireAnswer("own_2", words="=I am a choir leader"))
    tell(world, QuestionnaireAnswer("gender", "woman"), simulated=True)
    rows = export(world, tmp_path)
    assert [(row["question"], row["prompt"], row["answer"], row["choice"], row["words"]) for row in rows] == [
        ("gender", "", "self_described", "", "agender"),
        ("languages", "", "en|zh", "", ""),
        ("own_1", "Do you sing?", "1", "Yes, often", ""),
        ("own_2", "Anything else?", "", "", "'=I am a choir leader"),
    ]
    people = table(tmp_path / "raters.csv")
    assert {(row["session"], row["rater"]) for row in rows} == {(row["session"], row["rater"]) for row in people}
    assert {row["study_version"] for row in rows} == {"1"}
    described = [row["column"] for row in table(tmp_path / "codebook.csv") if row["table"] == "questionnaire"]
    assert described == list(rows[0])


def test_the_rows_say_the_same_in_every_language_and_in_which_a_question_was_read(
    now: datetime, tmp_path: Path
) -> None:
    chinese = {"questions": {"questionnaire.questions": ["您唱歌吗？ | 经常 | 不", "还有什么？"]}}
    world = World(now, {**SETTINGS, "translations__zh-hans": chinese, "translations__ar": {}})
    for language in ("en", "zh-hans", "ar", ""):
        session = tell(world, QuestionnaireAnswer("gender", "woman"), QuestionnaireAnswer("own_1", "1"))
        Session.objects.filter(pk=session.pk).update(language=language)
    rows = export(world, tmp_path)
    kept = [(row["question"], row["prompt"], row["answer"], row["choice"], row["language"]) for row in rows]
    sung = ("own_1", "Do you sing?", "1", "Yes, often")
    assert [row for row in kept if row[0] == "own_1"] == [(*sung, read) for read in ("en", "zh-hans", "en", "")]
    assert {row[4] for row in kept if row[0] == "gender"} == {""}


def test_a_study_that_nobody_told_anything_has_no_such_file(world: World, tmp_path: Path) -> None:
    world.session(outcome="complete")
    files.write(Source(world.study, Simulated.WITHOUT), tmp_path)
    assert not (tmp_path / "questionnaire.csv").exists()


def test_what_is_published_has_no_free_text_and_nothing_that_few_said(world: World, tmp_path: Path) -> None:
    for _each in range(LEAST):
        tell(
            world,
            QuestionnaireAnswer("gender", "woman"),
            QuestionnaireAnswer("languages", "en"),
            QuestionnaireAnswer("own_1", "2"),
        )
    tell(
        world,
        QuestionnaireAnswer("gender", "self_described", "agender"),
        QuestionnaireAnswer("languages", "cy|en"),
        QuestionnaireAnswer("own_1", "1"),
    )
    tell(world, QuestionnaireAnswer("gender", "not_said"), QuestionnaireAnswer("own_2", words="I live in Bangor"))
    rows = export(world, tmp_path, profile=Profile.OPEN)
    assert "words" not in rows[0]
    assert "agender" not in (text := (tmp_path / "questionnaire.jsonl").read_text(encoding="utf-8"))
    assert "Bangor" not in text
    said = {
        question: [row["answer"] for row in rows if row["question"] == question] for question in ("gender", "own_1")
    }
    assert said["gender"] == ["woman"] * LEAST + ["rare", "not_said"]
    assert said["own_1"] == ["2"] * LEAST + ["rare", "skipped"]
    assert {row["choice"] for row in rows} == {"", "No"}
    assert {row["said_at"] for row in rows} == {world.now.date().isoformat()}


def test_programs_and_late_answers_make_nobody_common(world: World, tmp_path: Path) -> None:
    tell(world, QuestionnaireAnswer("gender", "woman"))
    for _each in range(LEAST):
        tell(world, QuestionnaireAnswer("gender", "woman"), simulated=True)
    source = Source(world.study, Simulated.WITH, profile=Profile.OPEN)
    rows = questionnaire_rows(source)
    assert next(rows)["answer"] == "rare"
    tell(world, QuestionnaireAnswer("gender", "man"))
    assert {row["answer"] for row in rows if row["question"] == "gender"} == {"rare"}
    [levels] = [column.levels for column in COLUMNS if column.name == "answer"]
    assert "rare" in levels.split("|")


def test_two_exports_are_equal_to_the_byte(world: World, tmp_path: Path) -> None:
    for code in ("woman", "man"):
        tell(world, QuestionnaireAnswer("gender", code))
    export(world, tmp_path / "one")
    export(world, tmp_path / "two")
    for name in ("questionnaire.csv", "questionnaire.jsonl", "manifest.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_an_analysis_counts_raters_by_what_they_said_and_leaves_own_questions_out(world: World) -> None:
    tell(
        world,
        QuestionnaireAnswer("gender", "woman"),
        QuestionnaireAnswer("languages", "en"),
        QuestionnaireAnswer("own_1", "1"),
    )
    tell(world, QuestionnaireAnswer("gender", "woman"))
    tell(world, QuestionnaireAnswer("gender", "man"), simulated=True)
    assert gathered(world.study).facts.about == {"gender": {"woman": 2}, "languages": {"en": 1, "skipped": 1}}
    assert gathered(World(world.now).study).facts.about is None
