"""Codebooks, and whether what an expert found can be stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raters.rating.rules import codes
from raters.rating.rules.codes import CodeMark
from studies.definition.settings.coding import Code, CodingSettings

REASON = "The e\u0301 sounds 👩‍👩‍👧 wrong"
ALL = CodingSettings(mode="all")


def test_the_built_in_codes_are_the_four_dimensions_of_table_5() -> None:
    book = codes.book("reason", ALL)
    assert list(dict.fromkeys(code.dimension for code in book)) == [
        "Pronunciation accuracy",
        "Prosodic appropriateness",
        "Audio clarity",
        "Naturalness and human-like expressiveness",
    ]
    assert len({code.code for code in book}) == len(book) == 14
    # None of them is a cue of one kind alone.
    assert {code.polarity for code in book} == {""}


def test_comments_have_the_four_codes_of_their_paper() -> None:
    assert [code.name for code in codes.book("comment", ALL)] == ["Noise", "Proper noun", "Speed", "Number"]


def test_the_study_s_own_code_prevails_over_a_built_in_one() -> None:
    settings = CodingSettings(mode="all", codes=("pauses | Silences | Rhythm", "room|No room"))
    book = {code.code: code for code in codes.book("reason", settings)}
    assert book["pauses"] == Code("pauses", "Silences", "Rhythm")
    assert len(book) == 15
    without = codes.book("reason", settings.model_copy(update={"built_in": False}))
    assert [code.code for code in without] == ["pauses", "room"]


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (CodeMark("pauses", "human"), ""),
        (CodeMark("pauses", "machine", 0, 3), ""),
        (CodeMark("pauses", "machine", 4, 6), ""),
        (CodeMark("pauses", "machine", 14, 19), ""),
        (CodeMark("pauses"), "human or a machine"),
        (CodeMark("robots", "machine"), "no such code"),
        (CodeMark("room", "human"), "other kind of cue"),
        (CodeMark("room", "machine"), ""),
        (CodeMark("pauses", "machine", 3, 3), "whole characters"),
        (CodeMark("pauses", "machine", 6, 3), "whole characters"),
        (CodeMark("pauses", "machine", 0, 26), "whole characters"),
        # Half of an accented letter, and a part of a family.
        (CodeMark("pauses", "machine", 0, 5), "whole characters"),
        (CodeMark("pauses", "machine", 14, 16), "whole characters"),
        (CodeMark("pauses", "machine", 3, None), "start and an end"),
        (CodeMark("pauses", "machine", None, 3), "start and an end"),
    ],
)
def test_marks_must_fit_the_codebook_and_the_text(mark: CodeMark, said: str) -> None:
    settings = CodingSettings(mode="all", codes=("room | No room | | | machine",))
    found = codes.problems("reason", settings, REASON, [mark])
    assert (said in found["marks.0"]) if said else found == {}


def test_the_same_mark_twice_is_told_and_one_code_on_two_words_is_not() -> None:
    mark = CodeMark("pauses", "human", 0, 3)
    assert list(codes.problems("reason", ALL, REASON, [mark, CodeMark("pauses", "human", 7, 13), mark])) == ["marks.2"]


def test_a_comment_needs_no_polarity() -> None:
    assert codes.problems("comment", ALL, "too fast", [CodeMark("speed", "", 0, 3)]) == {}


@given(st.text(min_size=1, max_size=30), st.data())
def test_what_is_quoted_is_what_was_marked(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text) + 3))
    parts = codes.quote(text, start, stop)
    if stop > len(text):
        assert parts is None
    else:
        assert parts is not None
        assert ("".join(parts), parts[1]) == (text, text[start:stop])
    assert codes.quote(text, None, None) == ("", text, "")


def test_of_an_erased_text_nothing_is_quoted() -> None:
    assert codes.quote("", 0, 4) is None
    assert codes.quote("", None, None) is None
