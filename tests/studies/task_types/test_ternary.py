"""Human, Unclear or Machine."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from studies.task_types.base import ItemContent, PlacedClip, Presentation
from studies.task_types.ternary import Answer, Params, Ternary

KIND = Ternary()
SHOWN = Presentation(public={"options": ["human", "unclear", "machine"]})


@pytest.mark.parametrize(("label", "value"), [("human", 1.0), ("unclear", 0.5), ("machine", 0.0)])
def test_the_weights_of_the_paper(label: str, value: float) -> None:
    rows = KIND.rows(Params(), SHOWN, KIND.answer({"label": label, "reason": "x"}))
    assert [(row.part, row.code, row.value, row.place) for row in rows] == [("label", label, value, 0)]


@pytest.mark.parametrize(
    ("reason", "is_long_enough"),
    [
        ("x" * 20, True),
        ("x" * 19, False),
        (" " * 30, False),
        ("停顿太长不像真人", True),
        ("停顿太长不像人", False),
        ("停，顿。太，长。不像人", False),
        *((nothing * 50, False) for nothing in ("\u200b", "\u202e", "\u3164", ".", "👍", "👩‍👩‍👧")),
    ],
)
def test_a_reason_needs_twenty_letters_and_digits_or_eight_in_cjk(reason: str, is_long_enough: bool) -> None:
    answer = Answer(label="human", reason=reason)
    assert (KIND.problems(Params(), SHOWN, answer) == {}) is is_long_enough


def test_a_reason_may_be_optional() -> None:
    assert KIND.problems(Params(reason_required=False), SHOWN, Answer(label="human")) == {}


@pytest.mark.parametrize(
    ("role", "label", "passes"),
    [
        ("trap_flawed", "machine", True),
        ("trap_flawed", "unclear", False),
        ("trap_flawed", "human", False),
        ("trap_human", "human", True),
        ("trap_human", "unclear", False),
        ("trap_human", "machine", False),
    ],
)
def test_unclear_on_a_trap_is_a_miss(role: str, label: str, passes: bool) -> None:
    rows = KIND.rows(Params(), SHOWN, KIND.answer({"label": label}))
    assert KIND.passes(Params(), role, rows) is passes


def test_options_stand_in_a_fixed_order_or_half_of_the_raters_see_the_other() -> None:
    orders = Counter(
        KIND.draw(Params(option_order="counterbalanced"), ItemContent(rater=rater), Random(1)).public["options"][0]
        for rater in range(40)
    )
    assert orders == {"human": 20, "machine": 20}
    assert KIND.draw(Params(), ItemContent(), Random(1)).public["options"] == ["human", "unclear", "machine"]


def test_what_is_shown_does_not_depend_on_the_role() -> None:
    items = [ItemContent((PlacedClip("alpha", role),)) for role in ("test", "trap_flawed")]
    shown = {KIND.draw(Params(), item, Random(1)).model_dump_json() for item in items}
    assert len(shown) == 1
