"""Lists of questions in several languages: what fits the original, what raters read, and what a launch says."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import Invalid
from studies.definition import presets, texts
from studies.definition.definition import Definition
from studies.definition.parsing import change, parse
from studies.definition.question_lists import AFTERWARDS, ATTENTION, INSTRUCTIONS, LISTS, in_language
from studies.definition.settings.question_lines import differences

RULES = ("How often? | *Once | Twice | Always", "Is it? | Yes | *No")
ABOUT = ("Do you sing? | Often | Never", "Anything else?")
HEED = ("Choose “Often” | *Often | Never",)
ENGLISH: dict[str, Any] = {
    "screening.comprehension": "flag",
    "screening.questions": RULES,
    "screening.attention": HEED,
    "questionnaire.questions": ABOUT,
}
CHINESE = {
    "screening.questions": ("多少次？ | *一次 | 两次 | 随便", "是吗？ | 是 | *否"),
    "screening.attention": ("请选“经常” | *经常 | 从不",),
    "questionnaire.questions": ("您唱歌吗？ | 经常 | 从不", "还有什么？"),
}


def definition(questions: Any = None, language: str = "zh-hans", **settings: Any) -> Definition:
    """Return a study that asks everything, with a translation that holds these lists."""
    changes = {**ENGLISH, **{name.replace("__", "."): value for name, value in settings.items()}}
    if questions is not None:
        changes[f"translations.{language}"] = {"questions": questions}
    return parse(change(presets.get("att").definition.model_dump(mode="json"), changes))


def findings(found: Definition) -> list[tuple[str, str]]:
    """Return what is said of lists, and not of texts or of catalogues."""
    said = ((finding.level, finding.message) for finding in texts.findings(found))
    return [(level, message) for level, message in said if "“" in message]


def test_each_list_of_a_translation_takes_the_place_of_the_original_and_nothing_else_changes() -> None:
    own = definition(CHINESE)
    spoken = in_language(own, "zh-hans")
    assert spoken.screening.questions == CHINESE["screening.questions"]
    assert spoken.screening.attention == CHINESE["screening.attention"]
    assert spoken.questionnaire.questions == CHINESE["questionnaire.questions"]
    assert spoken.model_copy(update={"screening": own.screening, "questionnaire": own.questionnaire}) == own
    assert [question.right for question in spoken.screening.asked] == [0, 1]
    assert in_language(own, "en") == in_language(own, "fr") == own


def test_the_codes_of_answers_are_the_same_in_every_language() -> None:
    own = definition(CHINESE)
    asked = {language: in_language(own, language).questionnaire.asked() for language in ("en", "zh-hans")}
    codes = {language: [(each.key, each.codes) for each in found] for language, found in asked.items()}
    assert codes["en"] == codes["zh-hans"] == [("own_1", ("1", "2")), ("own_2", ())]
    assert asked["zh-hans"][0].choice("2") == "从不"


def test_a_list_that_is_not_translated_stays_the_original_beside_one_that_is() -> None:
    found = definition({"questionnaire.questions": CHINESE["questionnaire.questions"]})
    assert in_language(found, "zh-hans").screening == found.screening
    assert (INSTRUCTIONS.spoken(found, "zh-hans"), AFTERWARDS.spoken(found, "zh-hans")) == ("en", "zh-hans")
    assert AFTERWARDS.spoken(found, "fr") == "en"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (("多少次？ | *一次 | 两次 | 随便", "是吗？ | 是 | *否"), []),
        (("多少次？ | *一次 | 两次 | 随便",), ["Line 2 is missing."]),
        (
            ("A? | *a | b | c", "B? | d | *e", "C? | *f | g", "D? | *h | i"),
            ["Line 3 is one too many.", "Line 4 is one too many."],
        ),
        (("A? | *a | b", "B? | d | *e"), ["Line 1 has 2 answers, and the original has 3."]),
        (("A?", "B? | d | *e"), ["Line 1 has 0 answers, and the original has 3."]),
        (
            ("A? | a | b | *c", "B? | *d | e"),
            [
                "Line 1 has its star before answer 3, and the original before answer 1.",
                "Line 2 has its star before answer 1, and the original before answer 2.",
            ],
        ),
        (("A? | a | b | c", "B? | d | *e"), ["Line 1 has no star; the original has it before answer 1."]),
    ],
)
def test_what_differs_from_the_original_is_named_by_its_line(other: tuple[str, ...], said: list[str]) -> None:
    assert list(differences(RULES, other)) == said
    found = definition({"screening.questions": other})
    assert INSTRUCTIONS.misfits(found, "zh-hans") == said
    # What raters read is never the one list, judged by the other.
    assert INSTRUCTIONS.spoken(found, "zh-hans") == ("en" if said else "zh-hans")
    assert in_language(found, "zh-hans").screening.questions == (RULES if said else other)


def test_a_star_where_the_original_has_none_is_named() -> None:
    assert list(differences(("A? | a | b",), ("甲？ | 一 | *二",))) == ["Line 1 has a star, and the original has none."]


@pytest.mark.parametrize(
    ("questions", "sentence"),
    [
        ({"screening.languages": ("en",)}, "lists of questions are screening.questions"),
        ({"screening.questions": ("A? | *a", "B?")}, "“A?” has only one choice"),
        ({"screening.questions": ("A? | *a | b", "A? | *a | b")}, "“A?” is there twice"),
        ({"screening.questions": ("A?",) * 7}, "at most 6"),
        ({"screening.attention": ("请选一个 | *经常 | 从不",)}, "“请选一个” doesn't name its answer"),
        ({"questionnaire.questions": ("A? | *a | b", "B?")}, "nothing is right or wrong here"),
    ],
)
def test_a_translated_list_keeps_the_rules_of_the_original(questions: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Invalid) as refused:
        definition(questions)
    [name] = questions
    assert sentence in refused.value.problems[f"translations.zh-hans.questions.{name}"]


def test_a_launch_demands_what_decides_and_warns_of_the_rest() -> None:
    decides, before, after = findings(definition({}))
    assert {decides[0], before[0], after[0]} == {"blocking", "warning"}
    assert decides == (
        "blocking",
        "“Questions on the instructions” are missing in 简体中文 (zh-hans), and raters can fail them: "
        "write them under Languages.",
    )
    assert before[1].startswith("“Attention checks” are missing")
    assert after == (
        "warning",
        "“Your own questions after the ratings” are missing in 简体中文 (zh-hans): its raters read them in "
        "English (en).",
    )
    assert findings(definition(CHINESE)) == []
    assert findings(definition()) == []


def test_a_launch_demands_no_list_that_is_not_asked() -> None:
    off: dict[str, Any] = {
        "screening__comprehension": "off",
        "screening__attention": (),
        "questionnaire__questions": (),
    }
    assert findings(definition({}, **off)) == []
    # One that was written while they were asked does no harm.
    assert findings(definition({"screening.questions": ("A? | *a | b",)}, **off)) == []


def test_a_launch_is_prevented_while_a_list_no_longer_fits() -> None:
    [(level, message)] = findings(definition({**CHINESE, "questionnaire.questions": ("还有什么？",)}))
    assert level == "blocking"
    assert "“Your own questions after the ratings” in 简体中文 (zh-hans) don’t fit the original" in message
    assert "Line 1 has 0 answers, and the original has 2. Line 2 is missing." in message


def test_every_list_names_a_setting_of_lines() -> None:
    found = definition(CHINESE)
    assert [each.own(found) for each in LISTS] == [RULES, HEED, ABOUT]
    assert ATTENTION.decides


def test_a_version_of_an_earlier_release_has_no_lists_and_reads_the_original() -> None:
    raw = definition(CHINESE).model_dump(mode="json")
    del raw["translations"]["zh-hans"]["questions"]
    assert in_language(Definition.model_validate(raw), "zh-hans") == Definition.model_validate(raw)
