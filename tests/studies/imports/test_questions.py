"""Questions come in with the clips they are about: all of both, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from core import jobs
from core.errors import Invalid
from studies.imports import publishing, requests
from studies.launch.states import launch
from studies.models import Clip, ClipImport, Item, Question, Study, Text
from tests import audio
from tests.studies.imports.helpers import (
    FILES,
    GOLDEN,
    PASSAGES,
    QUESTIONS,
    ROWS,
    SPOKEN,
    assert_nothing_was_taken,
    by_list,
    done,
    draft,
    refusals,
    stored,
)

pytestmark = pytest.mark.django_db
HEAD = QUESTIONS.splitlines()[0]
Send = Callable[..., ClipImport]


@pytest.fixture
def study(files: Path) -> Study:
    """Return a draft that asks questions on passages."""
    settings = draft("sp-mcqa", protocol__tests_per_batch=1, protocol__batches_per_session=1)
    return Study.objects.create(slug="one", title="One", draft=settings)


@pytest.fixture
def ask(send: Send, now: datetime) -> Callable[..., ClipImport]:
    """Return a function that imports the passages with these lists."""

    def ask(questions: str = QUESTIONS, golden: str = GOLDEN, rows: Any = PASSAGES, contents: Any = SPOKEN) -> Any:
        return done(send(rows, contents, questions=questions, golden=golden), now)

    return ask


def later(passage: str) -> tuple[list[dict[str, str]], dict[str, bytes]]:
    """Return rows and files of another passage by both systems."""
    rows = [row | {"file": f"{passage}/{row['file']}", "text_id": passage} for row in PASSAGES[:2]]
    return rows, {row["file"]: audio.wav(0.5, seed=50 + index) for index, row in enumerate(rows)}


def test_questions_come_in_with_their_clips_named_after_their_passage(ask: Send, study: Study, files: Path) -> None:
    job = ask()
    assert (job.state, job.clips_added, job.questions_added, job.report) == (jobs.DONE, 4, 6, [])
    rows = study.questions.order_by("pk").values_list("name", "text__name", "golden", "prompt")
    assert list(rows) == [
        ("p1/1", "p1", False, "How long?"),
        ("p1/2", "p1", False, "Which engine?"),
        ("p2/1", "p2", False, "How many?"),
        ("p2/2", "p2", False, "Who?"),
        ("golden/1", None, True, "How many days are there in a week?"),
        ("golden/2", None, True, "What is ten plus five?"),
    ]
    assert study.questions.get(name="p1/1").options == [
        {"text": "Six hours", "error": ""},
        {"text": "Sixteen hours", "error": "phonetic"},
        {"text": "Six days", "error": "semantic"},
    ]
    assert (job.manifest, job.archive, job.questions, job.golden) == ("", "", "", "")
    assert len(stored(files)) == 8


def test_numbers_go_on_after_those_that_there_are(ask: Send, study: Study) -> None:
    ask()
    rows, contents = later("p3")
    more = QUESTIONS.replace("p1,", "p3,").replace("p2,", "p1,").replace("How many?", "How far?")
    Question.objects.filter(name="p1/1").delete()
    assert ask(more, "question,correct,distractor_1\nOne and one?,Two,Three\n", rows, contents).questions_added == 5
    assert set(study.questions.values_list("name", flat=True)) == {
        "p1/2",
        "p1/3",
        "p1/4",
        "p2/1",
        "p2/2",
        "p3/1",
        "p3/2",
        "golden/1",
        "golden/2",
        "golden/3",
    }


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("p1,A?,yes,Yes,phonetic,no,semantic", "distractor_1"),
        ("p1,A?,yes,no,phonetic,NO,semantic", "distractor_2"),
        ("p1,A?,yes,no,fonetic,never,semantic", "distractor_1_error"),
        ("p9,A?,yes,no,phonetic,never,semantic", "passage"),
        ("p1,How long?,yes,no,phonetic,never,semantic", "question"),
        ("p1,A?,yes,,,,", "distractor_1"),
        ("p1,A?,,no,phonetic,never,semantic", "correct"),
    ],
)
def test_one_bad_question_refuses_the_clips_too(
    row: str, column: str, ask: Send, study: Study, files: Path, now: datetime
) -> None:
    job = ask(f"{QUESTIONS}{row}\n")
    assert (job.state, job.clips_added, job.questions_added) == (jobs.DONE, 0, 0)
    assert by_list(job) == [("questions", 6, column)]
    assert_nothing_was_taken(study, files)


@pytest.mark.parametrize("row", ["Days?,,Eight,Five", "Days?,Seven,seven,Five", "Days?,Seven,,"])
def test_one_bad_golden_question_refuses_everything(row: str, ask: Send, study: Study, files: Path) -> None:
    job = ask(golden=f"{GOLDEN}{row}\n")
    assert [line[:2] for line in by_list(job)] == [("golden", 4)]
    assert_nothing_was_taken(study, files)


@pytest.mark.parametrize("number", [1, 11])
def test_a_passage_with_too_few_or_too_many_questions_is_refused(
    number: int, ask: Send, study: Study, files: Path
) -> None:
    asked = "".join(f"p1,Number {n}?,a,b,phonetic,c,semantic\n" for n in range(number))
    kept = "".join(line for line in QUESTIONS.splitlines(keepends=True) if not line.startswith("p1,"))
    job = ask(kept + asked)
    assert by_list(job) == [("questions", 4, "passage")]
    assert_nothing_was_taken(study, files)


def test_a_bad_clip_refuses_the_questions_and_every_list_is_told(ask: Send, study: Study, files: Path) -> None:
    job = ask(
        QUESTIONS.replace("phonetic", "fonetic", 1),
        GOLDEN.replace("Seven", ""),
        contents={**SPOKEN, PASSAGES[1]["file"]: b"no sound"},
    )
    assert by_list(job) == [
        ("manifest", 3, "file"),
        ("questions", 2, "distractor_1_error"),
        ("golden", 2, "correct"),
    ]
    assert_nothing_was_taken(study, files)


@pytest.mark.parametrize("content", ["", HEAD, "passage,question\n", "\ufffe", "passage;question;correct\np1;A;b\n"])
def test_a_list_that_cannot_be_read_refuses_everything(content: str, ask: Send, study: Study, files: Path) -> None:
    assert {line[0] for line in by_list(ask(content))} == {"questions"}
    assert_nothing_was_taken(study, files)


def test_a_passage_that_no_clip_of_the_study_says_any_more_is_unknown(ask: Send, study: Study) -> None:
    Text.objects.create(study=study, name="p9")
    assert by_list(ask(QUESTIONS.replace("p2,", "p9,"))) == [("questions", 4, "passage")]


def test_two_distractors_of_one_error_type_are_taken_with_a_warning(ask: Send, study: Study) -> None:
    job = ask(QUESTIONS.replace("Six days,semantic", "Sixty hours,phonetic"))
    assert job.questions_added == 6
    assert [(line["table"], line["row"], line["column"], line["warning"]) for line in job.report] == [
        ("questions", 2, "distractor_2_error", True)
    ]


def test_a_passage_with_no_clip_for_a_system_is_refused_with_row_and_reason(
    ask: Send, study: Study, files: Path
) -> None:
    job = ask(rows=PASSAGES[:-1])
    assert [(line["table"], line["row"]) for line in job.report if not line["warning"]] == [("questions", 4)]
    assert "beta" in refusals(job)[0][3]
    assert_nothing_was_taken(study, files)


def test_clips_of_a_draft_may_come_before_their_questions_with_a_warning(
    send: Send, study: Study, now: datetime, files: Path
) -> None:
    job = done(send(PASSAGES, SPOKEN), now)
    assert refusals(job) == []
    assert [(line["row"], line["file"]) for line in job.report] == [
        (row, PASSAGES[row - 2]["file"]) for row in range(2, 6)
    ]
    assert {(line["table"], line["warning"]) for line in job.report} == {("manifest", True)}
    assert (Clip.objects.count(), Question.objects.count()) == (4, 0)


def test_questions_that_the_study_asks_already_are_refused(ask: Send, study: Study) -> None:
    ask()
    rows, contents = later("p3")
    again = f"{HEAD}\np1,how  LONG?,a,b,phonetic,c,semantic\np3,A?,a,b,phonetic,c,semantic\np3,B?,a,b,phonetic,c,syntax"
    job = ask(again, GOLDEN, rows, contents)
    assert by_list(job) == [("questions", 2, "question"), ("golden", 2, "question"), ("golden", 3, "question")]
    assert (Clip.objects.count(), Question.objects.count()) == (4, 6)


def test_questions_that_were_added_meanwhile_refuse_the_import(
    ask: Send, study: Study, monkeypatch: pytest.MonkeyPatch, files: Path
) -> None:
    def never(study: Study, rows: Any) -> Any:
        raise AssertionError("the clash must be found before anything is written")

    clashes = publishing.clashes_of_lists
    looks = []

    def look(*args: Any) -> Any:
        looks.append(args)
        if len(looks) == 2:
            Question.objects.create(
                study=study, name="golden/1", golden=True, prompt="What is ten plus five?", options=[]
            )
        return clashes(*args)

    monkeypatch.setattr(publishing, "clashes_of_lists", look)
    monkeypatch.setattr(publishing, "_texts", never)
    assert by_list(ask()) == [("golden", 3, "question")]
    assert not Clip.objects.exists()
    assert not stored(files)


def test_after_the_launch_only_new_passages_get_questions(ask: Send, study: Study, now: datetime, files: Path) -> None:
    ask()
    launch(study=study, now=now)
    before, items = len(stored(files)), Item.objects.count()
    rows, contents = later("p3")
    new = f"{HEAD}\np3,A?,a,b,phonetic,c,semantic\np3,B?,a,b,phonetic,c,syntax\n"
    job = ask(f"{new}p1,C?,a,b,phonetic,c,syntax\n", "question,correct,distractor_1\nG?,a,b\n", rows, contents)
    assert by_list(job) == [("questions", 4, "passage")]
    assert "after the launch" in refusals(job)[0][3]
    assert (Question.objects.count(), Item.objects.count(), len(stored(files))) == (6, items, before)
    job = ask(new, "question,correct,distractor_1\nG?,a,b\n", rows, contents)
    assert (job.clips_added, job.questions_added, job.report) == (2, 3, [])
    assert Item.objects.count() == items + 2


def test_after_the_launch_a_new_passage_needs_questions_and_every_system_that_is_added(
    ask: Send, send: Send, study: Study, now: datetime
) -> None:
    ask()
    launch(study=study, now=now)
    rows, contents = later("p3")
    assert [line[:2] for line in refusals(done(send(rows, contents), now))] == [
        (2, "p3/alpha/p1.wav"),
        (3, "p3/beta/p1.wav"),
    ]
    others, more = later("p4")
    new = "".join(f"{name},{prompt}?,a,b,phonetic,c,syntax\n" for name in ("p3", "p4") for prompt in "AB")
    job = done(send([*rows, others[0]], contents | more, questions=f"{HEAD}\n{new}"), now)
    assert by_list(job) == [("questions", 4, "")]
    assert "beta" in refusals(job)[0][3]
    assert (Clip.objects.count(), Question.objects.count()) == (4, 6)


def test_after_the_launch_a_new_system_says_passages_that_are_asked_on(
    ask: Send, send: Send, study: Study, now: datetime
) -> None:
    ask()
    launch(study=study, now=now)
    rows = [{"file": f"gamma/{name}.wav", "system": "gamma", "role": "test", "text_id": name} for name in ("p1", "p2")]
    job = done(send(rows, {row["file"]: audio.wav(0.5, seed=60 + n) for n, row in enumerate(rows)}), now)
    assert (job.clips_added, job.report) == (2, [])
    assert Item.objects.filter(clips__clip__system__name="gamma").count() == 2


@pytest.mark.parametrize("lists", [{"questions": QUESTIONS}, {"golden": GOLDEN}])
def test_a_task_that_asks_nothing_refuses_questions_at_once(
    lists: dict[str, str], study: Study, send: Send, tmp_path: Path, files: Path
) -> None:
    Study.objects.update(draft=draft("att"))
    study.refresh_from_db()
    with pytest.raises(Invalid, match="asks no questions"):
        send(ROWS, FILES, **lists)
    manifest = audio.write_folder(tmp_path, ROWS, FILES)
    (tmp_path / "list.csv").write_text(QUESTIONS)
    paths = {f"{name}_path": tmp_path / "list.csv" for name in lists}
    with pytest.raises(Invalid, match="asks no questions"):
        requests.import_folder(study=study, manifest_path=manifest, root=tmp_path, **paths)
    assert not ClipImport.objects.exists()
    assert stored(files) == []


def test_a_job_taken_over_in_the_last_moment_adds_no_questions(
    send: Send, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = send(PASSAGES, SPOKEN, questions=QUESTIONS, golden=GOLDEN)
    add = publishing.add

    def add_and_lose(*args: Any) -> Any:
        made = add(*args)
        ClipImport.objects.filter(pk=job.pk).update(tries=2)
        return made

    monkeypatch.setattr(publishing, "add", add_and_lose)
    requests.run_import(pk=job.pk, now=lambda: now)
    assert not Question.objects.exists()
    assert not Clip.objects.exists()
    job.refresh_from_db()
    assert job.questions
    assert job.golden
