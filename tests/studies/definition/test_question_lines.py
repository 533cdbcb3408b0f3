"""Questions written one a line."""

from __future__ import annotations

import pytest

from studies.definition.settings import question_lines
from studies.definition.settings.question_lines import ListedQuestion


def test_a_line_is_a_question_with_its_choices_and_a_star_before_the_right_one() -> None:
    line = " How often may you play a clip? | Once | * As often as I like | Twice "

    assert question_lines.parse(line) == ListedQuestion(
        "How often may you play a clip?", ("Once", "As often as I like", "Twice"), 1
    )


def test_a_question_without_choices_is_answered_in_ones_own_words() -> None:
    assert question_lines.parse("Anything else?") == ListedQuestion("Anything else?")


def test_choices_need_no_right_one() -> None:
    assert question_lines.parse("Do you speak for a living? | Yes | No").right is None


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("| *Yes | No", "no question"),
        ("Is it? | *Yes | *No", "more than one right answer"),
        ("Is it? | *Yes", "only one choice"),
        ("Is it? | *Yes | ", "empty choice"),
        ("Is it? | *Yes | *", "more than one right answer"),
        ("Is it? | Yes | * Yes", "twice"),
        ("Is it? |" + "|".join(map(str, range(21))), "more than 20 choices"),
        ("Is it? | Yes | " + "o" * 201, "longer than 200"),
        ("o" * 301, "longer than 300"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused_with_a_sentence(line: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        question_lines.parse(line)


def test_nobody_is_asked_the_same_twice() -> None:
    with pytest.raises(ValueError, match="“Is it\\?” is there twice"):
        question_lines.read(["Is it? | *Yes | No", "Is it? | Yes | *No"])
