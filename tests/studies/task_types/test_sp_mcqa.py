"""A passage and its questions."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from core.errors import Invalid
from studies.task_types.base import (
    AnswerRow,
    ClipFact,
    ItemContent,
    Listener,
    Option,
    Presentation,
    QuestionFact,
    Sheet,
)
from studies.task_types.sp_mcqa import Answer, Params, SpMcqa

KIND = SpMcqa()
RIGHT = Option("Seven")
WRONG = (Option("Eleven", "phonetic"), Option("A dozen", "semantic"))


def question(number: int, text: str = "p1", *options: Option) -> QuestionFact:
    golden = not text
    return QuestionFact(number, f"{text}/{number}", f"Prompt {number}?", options or (RIGHT, *WRONG), text, golden)


ASKED = (question(1), question(2), question(3))
GOLDEN = question(9, "")
ITEM = ItemContent(questions=ASKED, golden=(GOLDEN,))
CLIPS = tuple(ClipFact(n, system, "test", text) for n, (system, text) in enumerate([("a", "p1"), ("b", "p1")]))


def drawn(seed: int = 1, item: ItemContent = ITEM) -> Presentation:
    return KIND.draw(Params(), item, Random(seed))


def answer(shown: Presentation, codes: dict[int, str], comment: str = "I heard nine.") -> Answer:
    """Choose in each question, by its key in the database, the option of a code; the right one where none is named."""
    answers, comments = {}, {}
    for key, asked in shown.private.items():
        code = codes.get(asked["question"], "correct")
        answers[key] = next(option for option, (meant, _error) in asked["options"].items() if meant == code)
        if code == "other":
            comments[key] = comment
    return Answer(answers=answers, comments=comments)


def test_questions_stand_in_the_order_of_the_import_with_golden_ones_anywhere_among_them() -> None:
    places = Counter[int]()
    for seed in range(200):
        order = [asked["question"] for asked in drawn(seed).private.values()]
        places[order.index(9)] += 1
        assert [number for number in order if number != 9] == [1, 2, 3]
    assert set(places) == {0, 1, 2, 3}
    assert min(places.values()) > 25


def test_options_are_drawn_for_each_question_and_other_is_always_the_last() -> None:
    orders = Counter[tuple[str, ...]]()
    for seed in range(100):
        shown = drawn(seed)
        for asked in shown.private.values():
            orders[tuple(code for code, _error in asked["options"].values())] += 1
        for asked in shown.public["questions"]:
            assert [option["key"] for option in asked["options"]] == ["a", "b", "c", "other"]
            assert asked["options"][-1]["text"] == Params().other_label
    assert len(orders) == 6
    assert {order[-1] for order in orders} == {"other"}


def test_what_the_browser_gets_tells_neither_the_right_option_nor_the_golden_question() -> None:
    shown = drawn()
    questions = shown.public["questions"]
    assert [asked["key"] for asked in questions] == ["q1", "q2", "q3", "q4"]
    assert len({tuple(map(tuple, map(sorted, asked["options"]))) for asked in questions}) == 1
    assert {frozenset(asked) for asked in questions} == {frozenset({"key", "prompt", "options"})}
    public = json.dumps(shown.public)
    assert not any(word in public for word in ("correct", "distractor", "phonetic", "golden", "p1"))
    assert shown.golden == (9,)


def test_rows_name_the_question_and_its_canonical_option_and_a_wrong_one_the_error() -> None:
    shown = drawn()
    rows = KIND.rows(Params(), shown, answer(shown, {2: "distractor_2", 3: "other", 9: "distractor_1"}))
    assert sorted(rows, key=lambda row: (row.question or 0, row.part)) == [
        AnswerRow("question", "correct", 1.0, question=1),
        AnswerRow("error", "semantic", None, question=2),
        AnswerRow("question", "distractor_2", 0.0, question=2),
        AnswerRow("error", "other", None, question=3),
        AnswerRow("question", "other", 0.0, question=3, note="I heard nine."),
        AnswerRow("golden", "distractor_1", 0.0, question=9),
    ]


def test_a_comment_counts_only_with_other() -> None:
    shown = drawn()
    given = answer(shown, {})
    rows = KIND.rows(Params(), shown, Answer(answers=given.answers, comments=dict.fromkeys(given.answers, "Well.")))
    assert {row.note for row in rows} == {""}


def test_where_the_study_asks_why_other_needs_a_kind_which_is_a_row_of_the_question_but_of_golden_ones() -> None:
    asks, shown = Params(comment_kinds=True), drawn()
    given = answer(shown, {1: "other", 9: "other"})
    keys = {asked["question"]: key for key, asked in shown.private.items()}
    assert set(KIND.problems(asks, shown, given)) == {f"kinds.{keys[1]}", f"kinds.{keys[9]}"}
    whole = KIND.answer({**given.model_dump(), "kinds": {keys[1]: "no_option", keys[9]: "inconsistent"}})
    assert KIND.problems(asks, shown, whole) == {}
    kinds = [row for row in KIND.rows(asks, shown, whole) if row.part == "comment_kind"]
    assert kinds == [AnswerRow("comment_kind", "no_option", None, question=1)]
    assert "comment_kind" not in {row.part for row in KIND.rows(Params(), shown, whole)}
    with pytest.raises(Invalid):
        KIND.answer({"answers": {}, "kinds": {keys[1]: "bored"}})


def test_every_question_needs_an_answer_and_other_a_comment() -> None:
    shown = drawn()
    key = next(key for key, asked in shown.private.items() if asked["question"] == 1)
    whole = answer(shown, {1: "other"})
    assert KIND.problems(Params(), shown, whole) == {}
    blank = KIND.answer({"answers": whole.answers, "comments": {key: "  "}})
    assert set(KIND.problems(Params(), shown, blank)) == {f"comments.{key}"}
    rest = {other: chosen for other, chosen in whole.answers.items() if other != key}
    assert set(KIND.problems(Params(), shown, Answer(answers=rest))) == {f"answers.{key}"}
    unknown = Answer(answers={**whole.answers, key: "z"})
    assert set(KIND.problems(Params(), shown, unknown)) == {f"answers.{key}"}
    strange = Answer(answers={**whole.answers, "q77": "a"}, comments=whole.comments)
    assert set(KIND.problems(Params(), shown, strange)) == {"answers.q77"}


@pytest.mark.parametrize("raw", [{}, {"answers": ["a"]}, {"answers": {"q1": 3}}, {"answers": {"q1": "a" * 11}}])
def test_an_answer_of_another_shape_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        KIND.answer(raw)


def test_one_wrong_golden_answer_is_enough_whatever_else_was_right() -> None:
    shown = drawn()
    right = Sheet(shown, tuple(KIND.rows(Params(), shown, answer(shown, {1: "other"}))))
    wrong = Sheet(shown, tuple(KIND.rows(Params(), shown, answer(shown, {9: "other"}))))
    assert KIND.trusts(Params(), [])
    assert KIND.trusts(Params(), [right] * 3)
    assert not KIND.trusts(Params(), [right, wrong, right])


def test_each_test_clip_of_a_passage_is_an_item() -> None:
    training = ClipFact(7, "a", "training", "p1")
    layout = KIND.layout(Params(), [*CLIPS, training], [*ASKED, GOLDEN])
    assert [(item.clips, item.system, item.text) for item in layout.items] == [((0,), "a", "p1"), ((1,), "b", "p1")]
    assert (layout.problems, layout.warnings) == ((), ())


@pytest.mark.parametrize(
    ("clips", "questions", "reason", "clip", "about"),
    [
        (CLIPS, (), "no questions on the passage “p1”", 0, None),
        (CLIPS[:1], (*ASKED, question(4, "p2"), question(5, "p2")), "“p2” has no clip by a", None, 4),
        ((), ASKED, "“p1” has no clip", None, 1),
        (CLIPS, ASKED[:1], "has 1 questions; 2 to 10", None, 1),
        (CLIPS, tuple(question(n) for n in range(1, 12)), "has 11 questions; 2 to 10", None, 10),
        (CLIPS, (*ASKED, question(4, "p1", RIGHT, Option("seven", "phonetic"), WRONG[1])), "same answer", None, 4),
        (CLIPS, (*ASKED, question(4, "p1", RIGHT, Option("Six", "lexical"), WRONG[1])), "“lexical” is no", None, 4),
        (CLIPS, (*ASKED, question(8, "", RIGHT, Option("Seven"), Option("Six"))), "same answer", None, 8),
    ],
)
def test_bad_material_is_refused_with_the_clip_or_question_that_tells_where(
    clips: tuple[ClipFact, ...], questions: tuple[QuestionFact, ...], reason: str, clip: int | None, about: int | None
) -> None:
    found = KIND.layout(Params(), clips, questions).problems
    assert reason in found[0].reason
    assert (found[0].clip, found[0].question) == (clip, about)


def test_a_passage_that_one_system_does_not_read_is_named_with_that_system() -> None:
    clips = (*CLIPS, ClipFact(5, "a", "test", "p2"))
    found = KIND.layout(Params(), clips, (*ASKED, question(4, "p2"), question(5, "p2"))).problems
    assert [(trouble.reason, trouble.question) for trouble in found] == [("The passage “p2” has no clip by b.", 4)]


def test_two_distractors_of_one_error_type_are_worth_a_warning() -> None:
    alike = replace(ASKED[2], options=(RIGHT, WRONG[0], Option("Heaven", "phonetic")))
    layout = KIND.layout(Params(), CLIPS, (*ASKED[:2], alike, GOLDEN))
    assert not layout.problems
    assert [trouble.question for trouble in layout.warnings] == [3]


def test_problems_name_a_question_and_quote_none_of_its_words() -> None:
    """People who don't get the words of black-box texts read what prevents a launch, too."""
    twice = replace(ASKED[1], options=(RIGHT, Option("seven", "phonetic"), WRONG[1]))
    alike = replace(ASKED[2], options=(RIGHT, WRONG[0], Option("Heaven", "phonetic")))
    reasons = [
        trouble.reason
        for questions in ((ASKED[0], twice, GOLDEN), (*ASKED[:2], alike, GOLDEN))
        for layout in [KIND.layout(Params(), CLIPS, questions)]
        for trouble in (*layout.problems, *layout.warnings)
    ]
    assert [("p1/2" in reason, "p1/3" in reason) for reason in reasons] == [(True, False), (False, True)]
    assert not any(words in reason for reason in reasons for words in ("Prompt", "even"))


def test_careful_simulated_people_know_the_golden_answer_and_careless_ones_guess() -> None:
    right = Counter[bool]()
    for seed in range(300):
        for careful in (True, False):
            rng = Random(seed)
            shown = KIND.draw(Params(), ITEM, rng)
            given = KIND.simulate(Params(), shown, Listener((0.5,), careful), rng)
            assert KIND.problems(Params(), shown, given) == {}
            golden = [row.value for row in KIND.rows(Params(), shown, given) if row.part == "golden"]
            right[careful] += golden == [1.0]
    assert right[True] > 290
    assert 40 < right[False] < 120


def test_the_more_a_voice_passes_for_human_the_more_is_understood() -> None:
    shares = []
    for chance in (0.0, 0.5, 1.0):
        rng, values = Random(1), list[float]()
        for _ in range(200):
            given = KIND.simulate(Params(), drawn(), Listener((chance,)), rng)
            values += [row.value or 0 for row in KIND.rows(Params(), drawn(), given) if row.part == "question"]
        shares.append(sum(values) / len(values))
    assert shares[0] < shares[1] < shares[2] == 1.0
