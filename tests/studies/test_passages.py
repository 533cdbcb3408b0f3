"""Which paragraphs suit questions on key information (SP-MCQA paper, section 3.1)."""

from __future__ import annotations

import pytest

from studies.rules.passages import capitals_inside, unfit

PAPER = {"least": 65, "most": 260, "digits": 3, "capitals": 2}
FILLER = "word " * 70


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("In 1998 the mayor of New York spoke. " + FILLER, []),
        ("In 1998 the mayor of New York spoke.", ["passage_short"]),
        ("In 1998 the mayor of New York spoke. " + FILLER * 4, ["passage_long"]),
        ("In 98 the mayor of New York spoke. " + FILLER, ["passage_digits"]),
        ("The 2,000 people of New York. " + FILLER, []),
        ("In 1998 the mayor spoke. He said: no. It was late. " + FILLER, ["passage_capitals"]),
        ("In 1998 the mayor of Rome spoke. " + FILLER, ["passage_capitals"]),
        ("1998年，市长在北京讲话。", []),
        ("市长在北京讲话。", ["passage_digits"]),
    ],
)
def test_a_passage_has_65_to_260_words_a_number_of_three_digits_and_two_capitals(text: str, codes: list[str]) -> None:
    assert [code for code, _limit in unfit(text, **PAPER)] == codes


def test_a_limit_of_0_is_off_and_another_one_is_named() -> None:
    assert list(unfit("short", least=0, most=0, digits=0, capitals=0)) == []
    assert list(unfit("one two", least=3, most=0, digits=0, capitals=0)) == [("passage_short", "3")]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The NATO", 4),
        ("“The end.” Then Ann left. (So did Bo.)", 2),
        ("Why? Because!\nNo", 0),
        # A point ends a sentence, that of an abbreviation, too.
        ("He met Dr. Who", 1),
        ("", 0),
    ],
)
def test_capitals_that_start_a_sentence_do_not_count(text: str, number: int) -> None:
    assert capitals_inside(text) == number
