"""The study's own codes, one a line."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from studies.definition.settings.coding import Code, CodingSettings, parse


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("room | No room", Code("room", "No room")),
        (
            "room|No room|Audio clarity|too clean | machine",
            Code("room", "No room", "Audio clarity", "too clean", "machine"),
        ),
        ("er_hua | 儿化 | | | ", Code("er_hua", "儿化")),
    ],
)
def test_a_line_is_read(line: str, code: Code) -> None:
    assert parse(line) == code


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["room"], "write “room” as"),
        (["a|b|c|d|human|f"], "as: code | Name"),
        (["No room | x"], "is no code"),
        (["1st | x"], "is no code"),
        (["x" * 41 + " | x"], "is no code"),
        (["room | "], "has no name"),
        (["room | No room | | | robot"], "is no polarity"),
        (["room | " + "x" * 101], "longer than 100"),
        (["room | a", "pause | b", "room | c"], "“room” is there twice"),
    ],
)
def test_a_line_that_can_t_be_read_says_what_is_wrong(lines: list[str], said: str) -> None:
    with pytest.raises(ValidationError, match=said.replace("|", r"\|")):
        CodingSettings(codes=tuple(lines))


def test_a_study_codes_nothing_unless_it_is_told_to() -> None:
    assert (CodingSettings().mode, CodingSettings().double_share, CodingSettings().own) == ("off", 0.2, ())
