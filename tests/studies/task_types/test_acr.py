"""Absolute category rating."""

from __future__ import annotations

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.task_types.acr import Acr, Answer, Params
from studies.task_types.base import Presentation

KIND = Acr()


@pytest.mark.parametrize("score", [1, 2, 3, 4, 5])
def test_a_category_is_its_own_number(score: int) -> None:
    rows = KIND.rows(Params(), Presentation(), KIND.answer({"score": score}))
    assert [(row.part, row.code, row.value) for row in rows] == [("score", str(score), float(score))]


@pytest.mark.parametrize("score", [0, 6, 2.5, 3.0, "3", True, "good", None])
def test_anything_else_is_no_category(score: object) -> None:
    with pytest.raises(Invalid) as refused:
        KIND.answer({"score": score})
    assert list(refused.value.problems) == ["score"]


@pytest.mark.parametrize(
    ("role", "score", "passes"),
    [
        ("trap_human", 4, True),
        ("trap_human", 3, False),
        ("trap_flawed", 2, True),
        ("trap_flawed", 3, False),
    ],
)
def test_a_trap_is_passed_at_the_right_end_of_the_scale(role: str, score: int, passes: bool) -> None:
    rows = KIND.rows(Params(), Presentation(), Answer(score=score))
    assert KIND.passes(Params(), role, rows) is passes


def test_it_is_offered_with_instructions_of_its_own_and_without_traps() -> None:
    preset = presets.get("acr").definition
    assert "1 to 5" in preset.texts.instructions
    assert (preset.protocol.flawed_traps, preset.protocol.human_traps) == (0, 0)
