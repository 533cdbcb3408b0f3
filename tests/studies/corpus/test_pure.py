"""Tables, differences and durations of texts, without a database."""

from __future__ import annotations

import pytest

from studies.corpus import lists, text_table
from studies.corpus.differences import differences
from studies.corpus.mismatch import SpokenText, mismatches
from studies.corpus.models import CorpusText


def read(text: str) -> text_table.TextTable:
    return text_table.read(text.encode())


def test_problems_name_their_row_and_column_and_say_what_was_meant() -> None:
    table = read("text_id;text;box;state;dimenson\na;One;blak;;x\na;Two;;acepted;\n")
    told = [(each.row, each.column, each.reason) for each in table.problems]
    assert (2, "box", "“blak” is not a box. Did you mean black?") in told
    assert (3, "state", "“acepted” is not a state. Did you mean accepted?") in told
    assert (3, "text_id", "The text_id a is already in row 2. Give each text its own.") in told
    assert any("Did you mean dimension?" in reason for _row, column, reason in told if column == "dimenson")
    assert table.rows == ()


def test_a_spreadsheet_of_another_encoding_is_read() -> None:
    table = text_table.read("text_id,text\nt1,这是一个测试，今天的天气真的很好。\n".encode("gb18030"))
    assert table.rows[0].values["text"] == "这是一个测试，今天的天气真的很好。"


@pytest.mark.parametrize("words", ["=1+1", "-5 degrees", "+49 30", "@home", "plain"])
def test_words_that_look_like_formulas_are_harmless_in_a_spreadsheet_and_come_back(words: str) -> None:
    text = CorpusText(name="t1", body=words, turns=[{"speaker": "A", "text": "Hi."}])
    written = lists.all_texts([text])
    cell = written.splitlines()[1].split(",")[1]
    assert cell == ("plain" if words == "plain" else f"'{words}")
    [row] = read(written).rows
    assert (row.values["text"], row.values["turns"]) == (words, text.turns)


@pytest.mark.parametrize(
    ("lines", "turns"),
    [
        ("Anna: Are you coming?\nYes.", [("Anna", "Are you coming?"), ("", "Yes.")]),
        ("小明：来吗？", [("小明", "来吗？")]),
        (": 12:30 is late.", [("", "12:30 is late.")]),
        ('[{"speaker": "A", "text": "b: c"}]', [("A", "b: c")]),
        ("", []),
    ],
)
def test_turns_are_read_from_lines_and_written_as_lines_again(lines: str, turns: list[tuple[str, str]]) -> None:
    found = text_table.turns_of(lines)
    assert [(turn["speaker"], turn["text"]) for turn in found] == turns
    assert text_table.turns_of(text_table.lines_of(found)) == found


def test_turns_that_are_no_turns_are_refused() -> None:
    for wrong in ("[1]", '[{"speaker": "A"}]', "[", '[{"text": " "}]', "a: b\n" * 21):
        with pytest.raises(ValueError, match="urn"):
            text_table.turns_of(wrong)


def test_differences_are_words_and_single_chinese_characters() -> None:
    pieces = [(piece.kind, piece.text) for piece in differences("It costs $5 today.", "It costs five today.")]
    assert pieces == [("same", "It costs "), ("deleted", "$5"), ("inserted", "five"), ("same", " today.")]
    assert [piece.text for piece in differences("今天很好", "今天不好") if piece.kind != "same"] == ["很", "不"]


def spoken(*seconds: float, system: str = "a") -> list[SpokenText]:
    return [SpokenText(number, system, "en", 20, length) for number, length in enumerate(seconds)]


def test_clips_far_from_the_usual_rate_of_their_system_are_found_the_farthest_first() -> None:
    clips = spoken(2.0, 2.1, 1.9, 2.0, 2.2, 1.8, 0.2, 5.0)
    assert [(each.clip, each.ratio > 1) for each in mismatches(clips)] == [(6, False), (7, True)]


def test_small_groups_and_small_differences_name_nobody() -> None:
    assert mismatches(spoken(2.0, 2.0, 2.0, 9.0)) == []
    assert mismatches(spoken(2.0, 2.0, 2.0, 2.0, 2.0, 3.0)) == []
    assert (
        mismatches(
            [
                *spoken(1.0, 1.0, 1.0, 1.0, 1.0),
                *(each._replace(system="b", seconds=4.0) for each in spoken(1, 1, 1, 1, 1)),
            ]
        )
        == []
    )


def test_the_manifest_names_a_file_for_each_system_and_text() -> None:
    texts = [CorpusText(name="t1", body="One.", box="white"), CorpusText(name="t2", body="Two.")]
    rows = lists.manifest(texts, ["human", "alpha"], "{system}/{text_id}.wav").splitlines()
    assert rows[0] == "file,system,role,voice,text_id,text,dimension,language,box"
    assert rows[1] == "human/t1.wav,human,test,,t1,One.,,,white"
    assert len(rows) == 5
