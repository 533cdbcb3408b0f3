"""People decide on drafted questions: alone, two of them, with undo, edits and disagreements."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from accounts.models import User
from core.errors import Conflict, Invalid, NotFound
from studies.drafting import inspecting, queries
from studies.drafting.models import Draft, DraftPrompt, DraftQuestion, DraftRun
from studies.models import Question, Study
from studies.task_types.base import Option
from tests.studies.drafting.material import hear, passages

pytestmark = pytest.mark.django_db
OPTIONS = [{"text": "2046", "error": ""}, {"text": "2064", "error": "phonetic"}, {"text": "2047", "error": "semantic"}]


@pytest.fixture
def study(now: datetime) -> Study:
    return passages(now)


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann")


@pytest.fixture
def ben(db: None) -> User:
    return User.objects.create_user("ben")


def drafted(study: Study, now: datetime, *prompts: str, people: int = 1, golden: bool = False) -> list[DraftQuestion]:
    kind = "golden" if golden else "questions"
    limits = {"budget_tokens": 1, "budget_calls": 1}
    run = DraftRun.objects.create(
        study=study, kind=kind, plan={}, people=people, created_at=now, state="done", **limits
    )
    prompt = DraftPrompt.objects.create(
        study=study, step=kind, language="en", number=DraftPrompt.objects.count() + 1, body="…", at=now
    )
    draft = Draft.objects.create(run=run, unit="x/1", step=kind, prompt=prompt, model="m", parameters={}, at=now)
    text = None if golden else study.texts.get()
    return [
        DraftQuestion.objects.create(run=run, draft=draft, text=text, prompt=each, options=OPTIONS)
        for each in (prompts or ("Which bill was signed?",))
    ]


def decide(row: DraftQuestion, user: User, accepts: bool, now: datetime) -> DraftQuestion:
    row.refresh_from_db()
    hear(row.run.study, user)
    return inspecting.decide(study=row.run.study, pk=row.pk, user=user, accepts=accepts, revision=row.revision, now=now)


def test_an_accepted_question_becomes_one_of_the_study_and_undo_takes_it_away(
    study: Study, ann: User, now: datetime
) -> None:
    first, second = drafted(study, now, "Which bill was signed?", "What was its number?")
    decide(first, ann, True, now)
    decide(second, ann, False, now)
    question = Question.objects.get()
    assert (question.name, question.prompt, question.golden) == ("text-0/1", "Which bill was signed?", False)
    assert question.options == OPTIONS
    assert not queries.waiting_for(study.pk, ann.pk).exists()
    assert inspecting.undo(study=study, user=ann, now=now) == second
    assert inspecting.undo(study=study, user=ann, now=now) == first
    assert not Question.objects.exists()
    assert list(queries.waiting_for(study.pk, ann.pk)) == [first, second]
    with pytest.raises(NotFound):
        inspecting.undo(study=study, user=ann, now=now)


def test_golden_questions_get_names_of_their_own(study: Study, ann: User, now: datetime) -> None:
    Question.objects.create(study=study, name="golden/7", golden=True, prompt="?", options=OPTIONS)
    (row,) = drafted(study, now, "How many days has a week?", golden=True)
    decide(row, ann, True, now)
    question = Question.objects.exclude(name="golden/7").get()
    assert (question.name, question.golden, question.text) == ("golden/8", True, None)


def test_two_people_decide_independently_and_a_third_decision_settles(
    study: Study, ann: User, ben: User, now: datetime
) -> None:
    same, other, open_one = drafted(study, now, "One?", "Two?", "Three?", people=2)
    decide(same, ann, True, now)
    assert not Question.objects.exists(), "one of two is not enough"
    with pytest.raises(Conflict, match="already decided"):
        decide(same, ann, True, now)
    assert same not in queries.waiting_for(study.pk, ann.pk)
    assert same in queries.waiting_for(study.pk, ben.pk)
    decide(same, ben, True, now)
    decide(other, ann, True, now)
    decide(other, ben, False, now)
    assert [row.state for row in DraftQuestion.objects.order_by("pk")] == ["accepted", "disputed", "open"]
    assert list(queries.disputed(study.pk)) == [other]
    found = inspecting.agreement(study)
    assert found is not None
    assert (found.pairs, found.agreeing, found.percent, found.kappa.value) == (2, 1, 50.0, 0.0)
    inspecting.settle(study=study, pk=other.pk, user=ann, accepts=True, now=now)
    assert Question.objects.count() == 2
    with pytest.raises(Conflict, match="settled"):
        inspecting.undo(study=study, user=ben, now=now)
    assert inspecting.undo(study=study, user=ann, now=now) == other
    other.refresh_from_db()
    assert (other.state, Question.objects.count()) == ("disputed", 1)
    assert open_one in queries.waiting_for(study.pk, ann.pk)


def test_an_edit_asks_whoever_decided_again_and_keeps_what_the_model_wrote(
    study: Study, ann: User, ben: User, now: datetime
) -> None:
    (row,) = drafted(study, now, people=2)
    decide(row, ann, True, now)
    options = [Option("Bill 2046"), Option("Bill 2064", "phonetic"), Option("Act 2046", "semantic")]
    edit: dict[str, Any] = {"study": study, "pk": row.pk, "user": ben, "options": options, "now": now}
    inspecting.edit(**edit, prompt="Which bill?", revision=0)
    row.refresh_from_db()
    assert (row.prompt, row.revision, row.edited_by, row.drafted["prompt"]) == (
        "Which bill?",
        1,
        ben,
        "Which bill was signed?",
    )
    assert row in queries.waiting_for(study.pk, ann.pk)
    with pytest.raises(Conflict, match="edited"):
        inspecting.decide(study=study, pk=row.pk, user=ann, accepts=True, revision=0, now=now)
    with pytest.raises(Conflict, match="edited"):
        inspecting.edit(**edit, prompt="Another?", revision=0)
    for user in (ann, ben):
        decide(row, user, True, now)
    assert Question.objects.get().options[0]["text"] == "Bill 2046"


@pytest.mark.parametrize(
    ("texts", "errors", "message"),
    [
        (("2046", "２０４６.", "1"), ("phonetic", "semantic"), "same as the right answer"),
        (("2046", "Act", " act "), ("phonetic", "semantic"), "Two distractors are the same"),
        (("2046", "", "1"), ("phonetic", "semantic"), "empty"),
        (("2046", "1"), ("phonetic",), "exactly two"),
        (("2046", "1", "2"), ("phonetic", "other"), "unknown type"),
    ],
)
def test_an_edit_obeys_the_rules_of_questions(
    study: Study, ann: User, now: datetime, texts: tuple[str, ...], errors: tuple[str, ...], message: str
) -> None:
    (row,) = drafted(study, now)
    options = [Option(text, error) for text, error in zip(texts, ("", *errors), strict=True)]
    with pytest.raises(Invalid, match=message):
        inspecting.edit(study=study, pk=row.pk, user=ann, prompt="Q?", options=options, revision=0, now=now)
    row.refresh_from_db()
    assert (row.options, row.revision) == (OPTIONS, 0)


def test_a_question_that_the_study_has_is_not_added_again(study: Study, ann: User, now: datetime) -> None:
    Question.objects.create(
        study=study, name="text-0/1", text=study.texts.get(), prompt="which  BILL?", options=OPTIONS
    )
    (row,) = drafted(study, now, "Which bill?")
    with pytest.raises(Conflict, match="already has this question"):
        decide(row, ann, True, now)
    row.refresh_from_db()
    assert row.state == "open"
    decide(row, ann, False, now)


def test_a_passage_gets_ten_questions_at_most(study: Study, ann: User, now: datetime) -> None:
    rows = drafted(study, now, *(f"Question number {number}?" for number in range(11)))
    for row in rows[:10]:
        decide(row, ann, True, now)
    with pytest.raises(Conflict, match="the most there may be"):
        decide(rows[10], ann, True, now)


def test_nothing_is_decided_or_settled_on_a_passage_that_was_not_played(
    study: Study, ann: User, ben: User, now: datetime
) -> None:
    (row,) = drafted(study, now, people=2)
    hear(study, ben)
    with pytest.raises(Conflict, match="Play the passage first") as refused:
        inspecting.decide(study=study, pk=row.pk, user=ann, accepts=True, revision=0, now=now)
    assert refused.value.code == "not_played"
    inspecting.note_play(study=study, pk=row.pk, user=ann, now=now)
    decide(row, ann, True, now)
    decide(row, ben, False, now)
    cleo = User.objects.create_user("cleo")
    with pytest.raises(Conflict, match="Play the passage first"):
        inspecting.settle(study=study, pk=row.pk, user=cleo, accepts=True, now=now)
    inspecting.note_play(study=study, pk=row.pk, user=cleo, now=now)
    inspecting.settle(study=study, pk=row.pk, user=cleo, accepts=True, now=now)
    assert Question.objects.count() == 1


def test_a_golden_question_has_nothing_to_play(study: Study, ann: User, now: datetime) -> None:
    (row,) = drafted(study, now, "How many days has a week?", golden=True)
    inspecting.decide(study=study, pk=row.pk, user=ann, accepts=True, revision=0, now=now)
    assert Question.objects.get().golden


def test_nothing_is_decided_or_undone_after_the_launch(study: Study, ann: User, now: datetime) -> None:
    first, second = drafted(study, now, "One?", "Two?")
    decide(first, ann, True, now)
    Study.objects.filter(pk=study.pk).update(state="live")
    with pytest.raises(Conflict, match="launched"):
        decide(second, ann, True, now)
    with pytest.raises(Conflict, match="launched"):
        inspecting.undo(study=study, user=ann, now=now)
    assert Question.objects.count() == 1


def test_a_question_of_another_study_is_not_found(study: Study, ann: User, now: datetime) -> None:
    (row,) = drafted(passages(now), now)
    with pytest.raises(NotFound):
        inspecting.decide(study=study, pk=row.pk, user=ann, accepts=True, revision=0, now=now)
