"""Several tables describe the same clips: rows follow one another, columns join, lists of texts and systems add."""

from __future__ import annotations

import pytest

from studies.imports.ingest import guess
from studies.imports.ingest.problems import InvalidInput

FILES = ["alder/1.wav", "alder/2.wav", "birch/1.wav", "birch/2.wav"]


def values(tables: list[bytes], *columns: str) -> list[tuple[str, ...]]:
    return [tuple(row.get(column, "") for column in columns) for row in guess.propose(FILES, tables).rows]


def test_tables_of_other_files_follow_one_another() -> None:
    tables = [b"file,voice\nbirch/2.wav,anna\n", b"file,voice\nalder/1.wav,ben\n"]
    assert values(tables, "file", "voice") == [("birch/2.wav", "anna"), ("alder/1.wav", "ben")]
    assert guess.propose(FILES, tables).left_out == ("alder/2.wav", "birch/1.wav")


def test_columns_of_the_same_file_join_and_the_first_table_counts() -> None:
    tables = [b"file,voice\nalder/1.wav,anna\n", b"file,voice,language\nalder/1.wav,ben,de\n"]
    assert values(tables, "voice", "language") == [("anna", "de")]
    assert guess.propose(FILES, tables).mapping == {"file": "file", "voice": "voice", "language": "language"}


def test_tables_of_texts_and_of_systems_add_to_the_clips_that_have_them() -> None:
    named = b"file\nalder/1.wav\nbirch/2.wav\n"
    texts, systems = b"text_id,text\n1,One.\n2,Two.\n", b"system,benchmark\nbirch,b1\n"
    assert values([named, texts, systems], "text", "benchmark") == [("One.", ""), ("Two.", "b1")]
    # What the table of files says counts before them.
    own = b"file,text\nalder/1.wav,Mine.\n"
    assert values([own, texts], "text_id", "text") == [("1", "Mine.")]


def test_a_table_of_texts_whose_ids_are_names_of_files_adds_no_file() -> None:
    files = ["1.wav", "2.wav", "3.wav"]
    texts, named = b"text_id,text\n1,One.\n3,Three.\n", b"file,system\n1.wav,alder\n2.wav,alder\n"
    found = guess.propose(files, [texts, named])
    assert [(row["file"], row["text_id"], row.get("text", "")) for row in found.rows] == [
        ("1.wav", "1", "One."),
        ("2.wav", "2", ""),
    ]
    assert [row["file"] for row in guess.propose(files, [texts]).rows] == ["1.wav", "3.wav"]


def test_tables_that_name_no_file_are_refused_together() -> None:
    with pytest.raises(InvalidInput, match="Its columns are text_id, text, system, benchmark"):
        guess.propose(FILES, [b"text_id,text\nx,One.\n", b"system,benchmark\nbirch,b1\n"])


def test_rows_are_offered_for_what_may_be_meant_and_what_is_not_named() -> None:
    found = guess.propose(["a/001.wav", "a/2.wav", "a/spare.wav"], b"file,voice\n1.wav,anna\n2.wav,ben\ngone.wav,x\n")
    assert (found.missing, found.hints) == (("1.wav", "gone.wav"), {"1.wav": "a/001.wav"})
    assert {name: (row["file"], row["voice"]) for name, row in found.offers.items()} == {
        "1.wav": ("a/001.wav", "anna"),
        "a/001.wav": ("a/001.wav", ""),
        "a/spare.wav": ("a/spare.wav", ""),
    }
