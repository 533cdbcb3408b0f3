"""The settings of who takes part and of what they are asked at the end."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.definition.settings.questionnaire import Questionnaire, QuestionnaireQuestion
from studies.definition.settings.recruitment import Recruitment


def problems(**changes: Any) -> dict[str, str]:
    raw = presets.get("att").definition.model_dump(mode="json")
    with pytest.raises(Invalid) as caught:
        parse(change(raw, {name.replace("__", "."): value for name, value in changes.items()}))
    return caught.value.problems


@pytest.mark.parametrize("name", sorted(presets.by_name()))
def test_no_preset_asks_anything_or_leaves_anybody_out_by_itself(name: str) -> None:
    definition = presets.get(name).definition
    assert not definition.questionnaire.is_on
    assert not definition.recruitment.leaves_out


def test_each_question_is_switched_on_by_itself_and_keeps_its_place() -> None:
    asked = Questionnaire(device=True, gender=True, questions=("Do you sing? | Yes | No", "Anything else?")).asked()
    assert [question.key for question in asked] == ["gender", "device", "own_1", "own_2"]
    assert asked[2] == QuestionnaireQuestion("own_1", ("1", "2"), "Do you sing?", ("Yes", "No"))
    assert (asked[2].choice("2"), asked[2].choice("not_said"), asked[0].choice("woman")) == ("No", "", "")
    assert asked[3].codes == ()


@pytest.mark.parametrize("line", ["Do you sing? | *Yes | No", "Do you sing? | Yes", "| Yes | No"])
def test_a_line_that_is_no_question_about_somebody_is_refused_beside_its_field(line: str) -> None:
    assert list(problems(questionnaire__questions=[line])) == ["questionnaire.questions"]


def test_ages_that_nobody_has_are_refused() -> None:
    assert "youngest" in problems(recruitment__youngest=60, recruitment__oldest=18)["recruitment"]
    assert list(problems(recruitment__youngest=12)) == ["recruitment.youngest"]


def test_how_far_one_looks_back_is_the_longest_of_the_settings() -> None:
    assert Recruitment().longest == 0
    assert Recruitment(same_text_days=3, same_voice_days=30).longest == 30
