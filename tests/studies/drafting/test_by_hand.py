"""Questions that a person writes, corrects, deletes and restores on the page of questions."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from accounts.models import User
from core.errors import Conflict, Invalid
from studies.drafting import by_hand, inspecting
from studies.drafting.models import Draft, DraftPrompt, DraftQuestion, DraftRun
from studies.imports import publishing, question_lists
from studies.members.models import Member
from studies.models import Clip, Question, Study
from studies.task_types.base import Option
from tests.researchers import logged_in, researcher, text, url
from tests.studies.drafting.material import PASSAGE, hear, passages
from tests.studies.imports.helpers import GOLDEN, QUESTIONS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
WORDS = {
    "question": "Which bill was signed?",
    "correct": "2046",
    "distractor_1": "2064",
    "distractor_1_type": "phonetic",
    "distractor_2": "2047",
    "distractor_2_type": "semantic",
}
GOLDEN_WORDS = {
    "question": "How many days are there in a week?",
    "correct": "Seven",
    "distractor_1": "Eight",
    "distractor_2": "Five",
}
DISTRACTORS = (Option("B", "phonetic"), Option("C", "semantic"))
HEAD = QUESTIONS.splitlines()[0]


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


@pytest.fixture
def study(now: datetime, rita: User) -> Study:
    """Return a draft with the passages p1 and p2, and no question."""
    study = passages(now, PASSAGE, "The second passage.")
    for number, row in enumerate(study.texts.order_by("pk"), start=1):
        row.name = f"p{number}"
        row.save()
    study.owner = rita
    study.save()
    return study


def key(study: Study, name: str = "p1") -> str:
    return str(study.texts.get(name=name).pk)


def post(page: Client, study: Study, do: str, **values: Any) -> Any:
    return page.post(url("questions", study.slug), {"do": do, **values})


def write(page: Client, study: Study, passage: str = "", **values: str) -> Any:
    return post(page, study, "write", passage=passage or key(study), **{**WORDS, **values})


def shown(page: Client, study: Study, **query: Any) -> str:
    return text(page.get(url("questions", study.slug), query))


def store(study: Study, questions: str = "", golden: str = "") -> None:
    files = publishing.Files(None, questions.encode() or None, golden.encode() or None)
    question_lists.store(study=study, lists=publishing.read(files))


def errors(html: str) -> dict[str, str]:
    """Return {field: message beside it} of the form on a page."""
    return dict(re.findall(r'<ul class="errorlist" id="\w+?_(\w+)_error"><li>(.*?)</li>', html))


def accepted(study: Study, user: User, now: datetime) -> DraftQuestion:
    """Return a drafted question that somebody accepted."""
    limits = {"budget_tokens": 1, "budget_calls": 1}
    run = DraftRun.objects.create(study=study, kind="questions", plan={}, created_at=now, **limits)
    prompt = DraftPrompt.objects.create(study=study, step="questions", language="en", number=1, body="", at=now)
    draft = Draft.objects.create(run=run, unit="q", step="questions", prompt=prompt, model="m", parameters={}, at=now)
    options = [{"text": "A", "error": ""}, {"text": "B", "error": "phonetic"}, {"text": "C", "error": "semantic"}]
    row = DraftQuestion.objects.create(
        run=run, draft=draft, text=study.texts.get(name="p1"), prompt="Who?", options=options
    )
    hear(study, user)
    return inspecting.decide(study=study, pk=row.pk, user=user, accepts=True, revision=0, now=now)


def test_a_question_about_a_passage_is_written_beside_its_words_and_stored(page: Client, study: Study) -> None:
    form = shown(page, study, write=key(study))
    assert PASSAGE in form
    assert "<audio" in form
    answer = write(page, study, question="  Which bill\r\n was signed? ")
    question = study.questions.get()
    assert (question.name, question.text, question.golden) == ("p1/1", study.texts.get(name="p1"), False)
    assert question.prompt == "Which bill was signed?"
    assert question.options == [
        {"text": "2046", "error": ""},
        {"text": "2064", "error": "phonetic"},
        {"text": "2047", "error": "semantic"},
    ]
    # Where one goes on: at the link to the next question of this passage.
    assert answer.headers["Location"].endswith(f"&open={key(study)}#write-{key(study)}")
    html = text(page.get(answer.headers["Location"]))
    assert f'id="write-{key(study)}"' in html
    assert "The question p1/1 was added." in html


def test_a_golden_question_has_no_types_of_error(page: Client, study: Study) -> None:
    assert 'name="distractor_2_type"' not in shown(page, study, write="golden")
    post(page, study, "write", passage="golden", **GOLDEN_WORDS)
    question = study.questions.get()
    assert (question.name, question.text, question.golden) == ("golden/1", None, True)
    assert [each["error"] for each in question.options] == ["", "", ""]


@pytest.mark.parametrize(
    ("wrong", "field", "said"),
    [
        ({"question": " "}, "question", "required"),
        ({"correct": ""}, "correct", "required"),
        ({"question": "x" * 1001}, "question", "at most 1000"),
        ({"distractor_2_type": ""}, "distractor_2_type", "required"),
        ({"distractor_2_type": "spelling"}, "distractor_2_type", "not one of the available choices"),
        ({"distractor_2_type": "phonetic"}, "distractor_2_type", "same type of error"),
        ({"distractor_1": "２０４６"}, "distractor_1", "same as the right answer"),
        ({"distractor_2": " 2064. "}, "distractor_2", "Two distractors are the same"),
        ({"question": "HOW long"}, "question", "asked before"),
    ],
)
def test_errors_stand_beside_their_fields_and_what_was_typed_is_kept(
    page: Client, study: Study, wrong: dict[str, str], field: str, said: str
) -> None:
    store(study, QUESTIONS)
    before = study.questions.count()
    html = text(write(page, study, **wrong))
    assert said in errors(html)[field]
    assert len(errors(html)) == 1
    assert 'aria-invalid="true"' in html
    assert "js/admin/first_error.js" in html
    kept = {**WORDS, **wrong}
    assert all(f'value="{kept[name]}"' in html for name in ("correct", "distractor_1", "distractor_2") if kept[name])
    assert study.questions.count() == before


def test_a_passage_gets_at_most_ten_questions_and_only_one_that_a_clip_speaks(page: Client, study: Study) -> None:
    store(study, f"{HEAD}\n" + "".join(f"p1,Q{n}?,A,B,phonetic,C,semantic\n" for n in range(9)))
    assert f"write={key(study)}" in shown(page, study)
    write(page, study)
    assert study.questions.count() == 10
    html = shown(page, study, write=key(study))
    assert "The passage has 10 questions, the most there may be." in html
    assert f"write={key(study)}" not in html
    with pytest.raises(Invalid, match="is 11; 2 to 10 are needed"):
        by_hand.write(study=study, passage="p1", prompt="One more?", options=[Option("A"), *DISTRACTORS])
    study.clips.filter(text__name="p2").update(withdrawn_at=study.created_at)
    with pytest.raises(Invalid, match="No clip has the passage p2"):
        by_hand.write(study=study, passage="p2", prompt="Who?", options=[Option("A"), *DISTRACTORS])
    assert study.questions.count() == 10


@pytest.mark.parametrize("options", [(Option("A"), DISTRACTORS[0]), (Option("A"), *DISTRACTORS, Option("D", "syntax"))])
def test_a_new_question_has_exactly_two_distractors(study: Study, options: tuple[Option, ...]) -> None:
    with pytest.raises(Invalid, match="exactly two distractors"):
        by_hand.write(study=study, passage="p1", prompt="Who?", options=options)


def edit(page: Client, study: Study, question: Question, /, **values: str) -> Any:
    """Send the form that corrects a question, as the page shows it but for some fields."""
    seen = re.search(r'name="seen" value="(\w+)"', shown(page, study, edit=question.pk))
    assert seen is not None
    right, *others = question.options
    sent = {"question": question.prompt, "correct": right["text"], "seen": seen.group(1)}
    for number, option in enumerate(others, start=1):
        sent |= {f"distractor_{number}": option["text"], f"distractor_{number}_type": option["error"]}
    return post(page, study, "edit", pk=question.pk, **{**sent, **values})


def test_a_question_is_corrected_at_its_place(page: Client, study: Study) -> None:
    store(study, QUESTIONS, GOLDEN)
    question = study.questions.get(name="p1/1")
    answer = edit(page, study, question, question="How long, then?", distractor_1_type="grammar")
    assert answer.headers["Location"].endswith(f"#question-{question.pk}")
    after = study.questions.get(name="p1/1")
    assert (after.pk, after.prompt, after.options[0], after.options[1]["error"]) == (
        question.pk,
        "How long, then?",
        question.options[0],
        "grammar",
    )
    assert "The question p1/1 was changed." in shown(page, study)
    golden = study.questions.get(name="golden/1")
    edit(page, study, golden, correct="Another one")
    assert study.questions.get(name="golden/1").options[0]["text"] == "Another one"


def test_an_edit_obeys_the_rules_of_new_questions_and_keeps_what_a_list_allowed(page: Client, study: Study) -> None:
    alike = f"{HEAD}\np1,Who?,A,B,phonetic,C,phonetic\np1,How long?,A,B,phonetic,,\n"
    store(study, alike)
    first, second = study.questions.order_by("pk")
    assert "asked before" in errors(text(edit(page, study, first, question="How  LONG")))["question"]
    assert "same as the right answer" in errors(text(edit(page, study, first, distractor_2="a")))["distractor_2"]
    edit(page, study, first, correct="Anna")
    edit(page, study, second, correct="Two hours")
    assert [row.options[0]["text"] for row in study.questions.order_by("pk")] == ["Anna", "Two hours"]
    assert (
        "same type of error"
        in errors(
            text(edit(page, study, study.questions.first(), distractor_1_type="grammar", distractor_2_type="grammar"))
        )["distractor_2_type"]
    )


def test_who_edits_an_old_state_overwrites_nothing_and_keeps_the_typed_words(page: Client, study: Study) -> None:
    store(study, QUESTIONS)
    question = study.questions.get(name="p1/1")
    seen = by_hand.fingerprint(question)
    edit(page, study, question, correct="Seven hours")
    html = text(edit(page, study, question, correct="Eight hours", seen=seen))
    assert "Somebody has edited this question meanwhile." in html
    assert 'value="Eight hours"' in html
    assert study.questions.get(name="p1/1").options[0]["text"] == "Seven hours"


def test_a_deleted_question_can_be_brought_back_as_it_was(
    page: Client, study: Study, rita: User, now: datetime
) -> None:
    draft = accepted(study, rita, now)
    question = study.questions.get()
    before = study.questions.values().get()
    answer = post(page, study, "delete", pk=question.pk)
    assert not study.questions.exists()
    html = text(page.get(answer.headers["Location"]))
    # The message stands in its place, and the address leads there.
    assert answer.headers["Location"].endswith(f"#question-{question.pk}")
    assert re.search(rf'id="question-{question.pk}".*?The question p1/1 was deleted\..*?value="undo"', html, re.DOTALL)
    post(page, study, "undo")
    assert study.questions.values().get() == before
    draft.refresh_from_db()
    assert draft.question_id == question.pk
    assert 'value="undo"' not in shown(page, study)
    assert "There is no change to undo." in text(page.post(url("questions", study.slug), {"do": "undo"}, follow=True))


def test_nothing_is_brought_back_where_others_have_taken_its_place(page: Client, study: Study) -> None:
    store(study, QUESTIONS)
    question = study.questions.get(name="p1/1")
    deleted = by_hand.delete(study=study, pk=question.pk)
    store(study, f"{HEAD}\np1,{question.prompt},A,B,phonetic,C,semantic\n")
    with pytest.raises(Conflict, match="already has this question"):
        by_hand.restore(study=study, deleted=deleted)
    study.questions.filter(text__name="p1").delete()
    store(study, f"{HEAD}\n" + "".join(f"p1,Q{n}?,A,B,phonetic,C,semantic\n" for n in range(10)))
    with pytest.raises(Conflict, match="has 10 questions"):
        by_hand.restore(study=study, deleted=deleted)


def test_an_edit_outlasts_the_undoing_of_a_decision_on_the_drafted_words(
    page: Client, study: Study, rita: User, now: datetime
) -> None:
    accepted(study, rita, now)
    edit(page, study, study.questions.get(), correct="Anna")
    inspecting.undo(study=study, user=rita, now=now)
    assert study.questions.get().options[0]["text"] == "Anna"


def test_each_change_is_written_into_the_history_of_the_study_without_its_words(page: Client, study: Study) -> None:
    write(page, study)
    question = study.questions.get()
    edit(page, study, question, correct="2048")
    post(page, study, "delete", pk=question.pk)
    post(page, study, "undo")
    rows = LogEntry.objects.filter(object_id=str(study.pk)).order_by("pk")
    assert [row.get_change_message() for row in rows] == [
        "The question p1/1 was added.",
        "The question p1/1 was changed.",
        "The question p1/1 was deleted.",
        "The question p1/1 was restored.",
    ]


def test_after_the_launch_nobody_writes_changes_or_deletes(page: Client, study: Study, now: datetime) -> None:
    store(study, QUESTIONS, GOLDEN)
    question = study.questions.get(name="p1/1")
    seen, deleted = by_hand.fingerprint(question), by_hand.delete(study=study, pk=question.pk)
    by_hand.restore(study=study, deleted=deleted)
    before = list(study.questions.order_by("pk").values())
    Study.objects.filter(pk=study.pk).update(state="live", launched_at=now)
    for values in (
        {"do": "write", "passage": key(study), **WORDS},
        {"do": "edit", "pk": question.pk, "seen": seen, **WORDS},
        {"do": "delete", "pk": question.pk},
    ):
        html = text(page.post(url("questions", study.slug), values, follow=True))
        assert "its questions can’t be changed any more" in html
        assert list(study.questions.order_by("pk").values()) == before
    html = shown(page, study, edit=question.pk, write=key(study))
    assert "Which bill" not in html
    assert not any(f'value="{do}"' in html for do in ("write", "edit", "delete"))


def test_viewers_read_and_change_nothing_and_get_no_words_of_the_black_box(
    page: Client, study: Study, now: datetime
) -> None:
    store(study, QUESTIONS)
    Clip.objects.filter(study=study, text__name="p1").update(box="black")
    vera = researcher("vera")
    Member.objects.create(study=study, user=vera, role="viewer", added_at=now)
    viewer = logged_in(vera)
    question = study.questions.get(name="p1/1")
    for query in ({}, {"write": key(study)}, {"edit": question.pk}, {"open": key(study)}):
        html = shown(viewer, study, **query)
        assert not any(words in html for words in (question.prompt, PASSAGE, "Write a question", 'value="delete"'))
    assert PASSAGE in shown(page, study, write=key(study))
    before = list(study.questions.order_by("pk").values())
    for do in ("write", "edit", "delete", "undo"):
        answer = post(viewer, study, do, passage=key(study), pk=question.pk, **WORDS)
        assert answer.status_code == 403
    assert list(study.questions.order_by("pk").values()) == before


def test_passages_and_questions_of_other_studies_are_out_of_reach(page: Client, study: Study, now: datetime) -> None:
    other = passages(now)
    store(study, QUESTIONS)
    for do, values in (
        ("write", {"passage": str(other.texts.get().pk), **WORDS}),
        ("write", {"passage": "x", **WORDS}),
        ("edit", {"pk": 0, **WORDS}),
        ("delete", {"pk": 0}),
    ):
        assert post(page, study, do, **values).status_code == 404
    assert study.questions.count() == 4
