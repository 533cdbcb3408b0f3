"""Checks of drafted texts and questions, prompts, and how an answer is read."""

from __future__ import annotations

from random import Random

import pytest

from studies.drafting.rules import answers, prompts, question_checks, text_checks
from studies.drafting.rules.answers import AskedQuestion
from studies.drafting.rules.question_checks import DraftedQuestion
from studies.drafting.rules.text_checks import Known
from studies.task_types.base import Option


def codes(text: str, kind: str = "other", **more: object) -> set[str]:
    known = more.pop("known", Known({}))
    assert isinstance(known, Known)
    flags = text_checks.check(text, kind=kind, shortest=5, longest=60, known=known, before=str(more.get("before", "")))
    return {flag.code for flag in flags}


@pytest.mark.parametrize(
    ("kind", "good", "bad", "flag"),
    [
        ("numbers", "票价￥39.5，7:48发车", "票价很贵，早上发车", "no_numbers"),
        ("numbers", "我花了三千六百块", "万一没带钱怎么办", "no_numbers"),
        ("switching", "老板又改了deadline", "老板又改了日子", "no_foreign_word"),
        ("switching", "我在B站看的", "我在网站看的", "no_foreign_word"),
        ("emotions", "唉，又没赶上车", "我没有赶上车了", "no_emotion"),
        ("emotions", "Ugh, not again", "I missed it again", "no_emotion"),
        ("classical", "他念“床前明月光”就哭", "他念了一首诗就哭", "no_quotation"),
        ("polyphones", "银行门口排得很长", "今天天气不错呀", "no_polyphone"),
        ("polyphones", "这件事很重要", "你看着地图，为了他和我好得很，还在中心", "no_polyphone"),
        ("polyphones", "They wind it up", "They turn it up", "no_polyphone"),
        ("dialect", "I saw nowt, me", "We played in class, growth is open", "no_dialect_word"),
        ("dialect", "你晓得不，可好吃", "你知道吗，很好吃", "no_dialect_word"),
    ],
)
def test_what_a_dimension_asks_for_is_missed_when_it_is_missing(kind: str, good: str, bad: str, flag: str) -> None:
    assert flag not in codes(good, kind)
    assert flag in codes(bad, kind)


def test_lengths_are_counted_as_readers_do() -> None:
    assert codes("👨‍👩‍👧‍👦" * 4) == {"short"}
    assert codes("好" * 61) == {"long"}
    assert codes("好天气好心情") == set()


def test_a_lost_number_and_an_invented_name_are_flagged() -> None:
    assert "lost_numbers" in codes("It starts about eight", before="It starts at 8:15")
    assert "lost_numbers" in codes("It was in 2019", before="We were 19 that year")
    assert "lost_numbers" in codes("花了三千块", before="花了三千六百块")
    assert "lost_numbers" not in codes("It starts at 8:15, listen", "numbers", before="It starts at 8:15")
    assert {"names", "numbers"} <= codes("Then came Angela Merkel with 3 cats")
    assert "names" not in codes("We met at the river. Nobody came")


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("See https://evil.example now.", ["https://evil.example"]),
        ('=HYPERLINK("x","click") and more', ["=HYPERLINK("]),
        ("He said <b>no</b> twice.", ["<b>"]),
        ("Dear {passage}, hello.", ["{passage}"]),
        ("It is 3 < 5, a = b, and {} > 2.", ["{}"]),
        ("Room B-204, 2½ cups at 180 °C for £39.50.", []),
    ],
)
def test_what_nobody_can_say_is_flagged(text: str, detail: list[str]) -> None:
    flags = text_checks.content_flags(text, "numbers")
    assert [flag.detail for flag in flags if flag.code == "markup"] == detail


def test_duplicates_are_found_exactly_and_nearly() -> None:
    body = "老中医说这病得慢慢调理，着急不得，可我这人就是心急。"
    known = Known({"t1": body})
    assert known.same_as("老中医说 这病得慢慢调理着急不得，可我这人就是心急！") == "t1"
    assert known.near("老中医说了，这病得慢慢调理，着急不得，可我就是心急。")[0] == "t1"
    assert known.near("街角那家绿门的铺子你还记得吧，现在改成面包房了。")[0] == ""
    assert Known({"t1": "The wind was strong that day, so we stayed in."}).near("We left the wind outside.")[0] == ""
    strict = Known({"t1": body}, similarity=0.99)
    assert strict.near("老中医说了，这病得慢慢调理，着急不得，可我就是心急。")[0] == ""


def test_likeness_is_symmetric_and_one_for_the_same_words() -> None:
    rng = Random(1)
    for _number in range(50):
        first, second = ("".join(rng.choices("abcd ", k=20)) for _each in range(2))
        one, other = text_checks.grams(first), text_checks.grams(second)
        assert text_checks.likeness(one, other) == text_checks.likeness(other, one)
        assert text_checks.likeness(one, one) == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        '{"text": "a"}',
        '```json\n{"text": "a"}\n```',
        '<think>{"text": "b"}</think>{"text": "a"}',
        ' {"text":" a\\u0000 "}',
        'First I thought {"text": "b"}.\n</think>\n\n{"text": "a"}',
        'Here it is: {"text": "a"} I hope that it helps.',
        'In the form {"text": …}:\n\n```json\n{"text": "a"}\n```\nShall I write more?',
        'The format is {"text": "b"}, so: {"text": "a"}',
    ],
)
def test_an_answer_is_read_from_json_alone(answer: str) -> None:
    assert answers.REWRITTEN.read(answer).text == "a"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("Sure! a", "not JSON"),
        ('<think>Perhaps {"text": "a"}', "not JSON"),
        ("{" * 50_000, "not JSON"),
        ('{"text": ' * 5_000, "not JSON"),
        ('{"text": "a", "accepted": true}', "accepted"),
        ('{"text": 1}', "text"),
        ('{"text": "  "}', "text"),
        ("[" * 100_000, "not JSON"),
        ('{"text": "' + "a" * 5000 + '"}', "text"),
    ],
)
def test_any_other_answer_is_refused_with_a_reason(answer: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        answers.REWRITTEN.read(answer)


def test_characters_that_turn_words_around_are_removed() -> None:
    assert answers.REWRITTEN.read('{"text": "safe\\u202etxt.exe\\n\\u0007"}').text == "safe txt.exe"


def asked(*distractors: tuple[str, str], question: str = "Which bill?", answer: str = "2046") -> AskedQuestion:
    listed = [{"text": text, "error": error} for text, error in distractors]
    return AskedQuestion.model_validate({"question": question, "answer": answer, "distractors": listed})


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (asked(("2064", "phonetic"), ("2047", "semantic")), ""),
        (asked(("2064", "phonetic")), "count"),
        (asked(("2064", "phonetic"), ("2047", "semantic"), ("1", "syntax")), "count"),
        (asked(("２０４６", "phonetic"), ("2047", "semantic")), "equals_answer"),
        (asked(("Act", "phonetic"), (" ACT. ", "semantic")), "same_twice"),
        (asked(("2064", "phonetic"), ("2047", "phonetic")), "same_error_type"),
        (asked(("2064", "phonetic"), ("2047", "spelling")), "error_type"),
        (asked(("2064", "phonetic"), ("2047", "semantic"), question="which  day?"), "asked_before"),
        (asked(("2064", "phonetic"), ("2047", "semantic"), question="x" * 1001), "long"),
        (asked(("Other", "phonetic"), ("2047", "semantic")), "other_option"),
        (asked(("2064", "phonetic"), ("None of the above.", "semantic")), "other_option"),
        (asked(("2064", "phonetic"), ("all of these", "semantic")), "other_option"),
        (asked(("2064", "phonetic"), ("Not mentioned in the passage", "semantic")), "other_option"),
        (asked(("其他", "phonetic"), ("2047", "semantic")), "other_option"),
        (asked(("2064", "phonetic"), ("以上都不是。", "semantic")), "other_option"),
        (asked(("2064", "phonetic"), ("以上选项均不正确", "semantic")), "other_option"),
        (asked(("The other bill", "phonetic"), ("其他城市", "semantic")), ""),
    ],
)
def test_questions_that_no_study_could_use_are_refused(question: AskedQuestion, reason: str) -> None:
    assert question_checks.refusal(question, golden=False, earlier=["Which day?"]) == reason


def test_an_answer_outside_of_the_passage_is_flagged() -> None:
    options = (Option("Bill 2046"), Option("Act 2046", "semantic"), Option("115 clinics", "phonetic"))
    question = DraftedQuestion("Which?", options)
    passage = "She signed bill ２０４６ for 115 clinics."
    assert [flag.code for flag in question_checks.flags(question, passage)] == ["distractor_in_passage"]
    assert "answer_not_in_passage" in [flag.code for flag in question_checks.flags(question, "Something else.")]


@pytest.mark.parametrize(
    ("passage", "answer", "is_there"),
    [
        ("It was in 2019.", "19", False),
        ("It cost 1,800 dollars.", "1800", True),
        ("It cost 1,800 dollars.", "800", False),
        ("It weighs 3.5 kg.", "3", False),
        ("Marsh’s bill", "marsh", True),
        ("We played on.", "play", False),
        ("拨款三千六百元", "三千六百元", True),
        ("拨款三千六百元", "三千", False),
        ("三月十四日，市长签署", "十四日", True),
    ],
)
def test_an_answer_is_in_a_passage_by_whole_words_and_numbers(passage: str, answer: str, is_there: bool) -> None:
    question = DraftedQuestion("Which?", (Option(answer), Option("x", "phonetic"), Option("y", "semantic")))
    assert [flag.code for flag in question_checks.flags(question, passage)] == (
        [] if is_there else ["answer_not_in_passage"]
    )


@pytest.mark.parametrize(("right", "tries", "golden", "flag"), [
    (4, 4, False, "guessed"), (3, 4, False, "guessed"), (2, 4, False, ""), (0, 0, False, ""),
    (4, 4, True, ""), (3, 4, True, "not_always_known"),
])  # fmt: skip
def test_guesses_are_flagged_from_three_in_four(right: int, tries: int, golden: bool, flag: str) -> None:
    found = question_checks.guess_flags(right, tries, golden=golden)
    assert [each.code for each in found] == ([flag] if flag else [])


def test_options_are_shuffled_alike_for_one_seed_and_the_right_one_is_known() -> None:
    question = DraftedQuestion("?", (Option("right"), Option("b"), Option("c")))
    seen = set()
    for seed in map(str, range(30)):
        listed, right = question_checks.shuffled(question, seed)
        assert (listed, right) == question_checks.shuffled(question, seed)
        assert listed.splitlines()[right - 1] == f"{right}. right"
        seen.add(right)
    assert seen == {1, 2, 3}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_built_in_prompt_is_one_that_a_person_could_save(language: str) -> None:
    for step in prompts.STEPS:
        for kind in [*prompts.KINDS, prompts.OTHER] if step == "generate" else [""]:
            assert prompts.problem(step, prompts.built_in(step, kind, language)) == ("", ())


def test_dimensions_are_known_by_their_names() -> None:
    names = {
        "special_characters": "numbers", "code_switching": "switching", "paralinguistics": "emotions",
        "classical_chinese": "classical", "polyphones": "polyphones", "多音字": "polyphones", "中英夹杂": "switching",
        "Whispering": "other",
    }  # fmt: skip
    assert {name: prompts.kind_of(name) for name in names} == names
