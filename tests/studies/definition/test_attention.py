"""Attention checks as a researcher writes them: which are fair, which answers pass, how many are asked."""

from __future__ import annotations

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.definition.definition import Definition
from studies.definition.parsing import change, parse
from studies.definition.question_lists import in_language
from studies.definition.settings import attention
from studies.definition.settings.screening import ScreeningSettings

OFTEN = "Please choose “Often” here | Never | *Often | Sometimes"
PLANETS = "I have visited every planet."


def definition(*lines: str, translated: tuple[str, ...] = ()) -> Definition:
    raw = presets.get("att").definition.model_dump(mode="json")
    changed = change(raw, {"screening.attention": lines})
    changed["translations"] = {"zh-hans": {"questions": {"screening.attention": translated}}} if translated else {}
    return parse(changed)


def test_no_preset_asks_any_unless_a_study_wants_it() -> None:
    assert [name for name, preset in presets.by_name().items() if preset.definition.screening.attention] == []


def test_an_instruction_passes_by_its_starred_answer_alone() -> None:
    (found,) = attention.read([OFTEN])
    assert (found.kind, found.choices, found.right) == ("instruction", ("Never", "Often", "Sometimes"), {1})


def test_a_statement_that_nobody_agrees_with_has_no_answer_in_between_and_both_agreeing_ones_fail() -> None:
    (found,) = attention.read([PLANETS])
    assert (found.kind, len(found.choices)) == ("nonsense", 4)
    assert {found.choices[place] for place in found.right} == {"Somewhat disagree", "Strongly disagree"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("Choose “Often” here | Often | Never", "has answers and no star"),
        ("Choose the answer that means frequently | *Often | Never", "doesn't name its answer: write “Often” into it"),
        ("Choose “Often” here | *Often", "only one choice"),
        ("Choose “Often” or “Never” | *Often | *Never", "more than one right answer"),
        ("Choose “Disagree” here | *Agree | Disagree", "doesn't name its answer: write “Agree” into it"),
        ("Please choose “Very often” | *Often | Very often | Never", "names “Very often”, and the star is before"),
        ("请选择“不同意” | *同意 | 不同意", "names “不同意”, and the star is before “同意”"),
        ("Do you know what a spectrogram is? | Yes | *No", "doesn't name its answer: write “No” into it"),
        ("For this line, choose “Strongly agree”", "give it answers of its own, with a star"),
    ],
)
def test_what_takes_more_than_reading_or_cannot_be_answered_is_refused(line: str, sentence: str) -> None:
    with pytest.raises(Invalid) as refused:
        definition(line)
    assert sentence in refused.value.problems["screening.attention"]


@pytest.mark.parametrize(
    "line",
    ["Choose “Disagree” here | Agree | *Disagree", "请选择不同意 | 同意 | *不同意", "Choose: often. | *Often | Never"],
)
def test_an_instruction_that_names_the_starred_answer_is_taken(line: str) -> None:
    assert definition(line).screening.fair[0].kind == "instruction"


def test_the_answer_may_stand_in_the_instruction_in_capitals() -> None:
    assert definition("PLEASE CHOOSE  NEVER  HERE | Often | *Never").screening.fair[0].right == {1}


@pytest.mark.parametrize(
    ("lines", "every", "sets", "asked"),
    [(0, 1, 3, 0), (2, 1, 1, 0), (2, 1, 2, 1), (2, 1, 3, 2), (2, 1, 9, 2), (2, 3, 3, 0), (2, 3, 4, 1), (2, 3, 7, 2)],
)
def test_one_comes_after_so_many_sets_and_none_after_the_last(lines: int, every: int, sets: int, asked: int) -> None:
    settings = ScreeningSettings(attention=(OFTEN, PLANETS)[:lines], attention_every=every)
    assert settings.fair_asked(sets) == asked


def test_raters_of_another_language_read_the_translation_and_pass_by_the_same_answer() -> None:
    asked = definition(OFTEN, PLANETS, translated=("请选“经常” | 从不 | *经常 | 有时", "我去过所有的行星。"))
    found = in_language(asked, "zh-hans").screening.fair
    assert [fair.text for fair in found] == ["请选“经常”", "我去过所有的行星。"]
    assert found[0].choices[1] == "经常"
    assert [fair.right for fair in found] == [fair.right for fair in asked.screening.fair]
