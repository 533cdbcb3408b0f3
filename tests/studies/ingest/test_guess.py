"""A manifest proposed from names of files and folders, and from tables that aren't quite one."""

from __future__ import annotations

import pytest

from studies.imports.ingest import guess
from studies.imports.ingest.problems import InvalidInput


def cells(names: list[str], *columns: str, content: bytes | None = None) -> list[tuple[str, ...]]:
    return [tuple(row.get(column, "") for column in columns) for row in guess.propose(names, content).rows]


def test_files_are_sorted_by_folder_and_numbers_by_their_value() -> None:
    names = ["b/1.wav", "a/clip10.wav", "a/Clip2.wav", "a-z/1.wav", "a/clip2b.wav", "a/x.wav", "a/2.wav"]
    order = ["a/2.wav", "a/Clip2.wav", "a/clip2b.wav", "a/clip10.wav", "a/x.wav", "a-z/1.wav", "b/1.wav"]
    assert cells(names, "file") == [(name,) for name in order]
    # A table has an order of its own.
    assert cells(names, "file", content=b"file\nb/1.wav\na/clip10.wav\na/2.wav\n") == [
        ("b/1.wav",),
        ("a/clip10.wav",),
        ("a/2.wav",),
    ]


def test_folders_name_systems_and_roles_and_file_names_the_texts() -> None:
    names = ["clips/human/1.flac", "clips/Alder TTS/1.flac", "clips/trap_flawed/9.flac", "clips/trap-human/8.flac"]
    assert cells(names, "file", "system", "role", "text_id") == [
        ("clips/Alder TTS/1.flac", "Alder TTS", "test", "1"),
        ("clips/human/1.flac", "human", "test", "1"),
        ("clips/trap-human/8.flac", "human", "trap_human", "8"),
        ("clips/trap_flawed/9.flac", "flawed", "trap_flawed", "9"),
    ]


def test_a_folder_below_the_system_is_its_voice_and_one_named_as_a_language_the_language() -> None:
    names = ["zh/alder/anna/1.wav", "en/alder/ben/2.wav", "en/Natural/3.wav"]
    assert cells(names, "system", "voice", "language") == [
        ("alder", "ben", "en"),
        ("human", "", "en"),
        ("alder", "anna", "zh"),
    ]


@pytest.mark.parametrize(
    "names",
    [
        ["alder_001.wav", "alder_002.wav", "gt_001.wav", "gt_002.wav"],
        ["all/001_alder.wav", "all/002_alder.wav", "all/001_gt.wav", "all/002_gt.wav"],
        ["001-alder.wav", "002-alder.wav", "001-gt.wav", "002-gt.wav"],
    ],
)
def test_without_folders_a_word_of_the_file_names_tells_the_system(names: list[str]) -> None:
    assert sorted(cells(names, "system", "text_id")) == [
        ("alder", "001"),
        ("alder", "002"),
        ("human", "001"),
        ("human", "002"),
    ]


def test_a_folder_for_each_text_is_recognised() -> None:
    names = [f"{text}/{system}.wav" for text in ("t1", "t2", "t3") for system in ("alder", "human")]
    assert cells(names, "system", "text_id")[:3] == [("alder", "t1"), ("human", "t1"), ("alder", "t2")]


def test_names_that_tell_nothing_leave_the_system_to_be_filled_in() -> None:
    assert cells(["x/one.wav", "x/two.wav"], "system", "role", "text_id") == [("", "test", "one"), ("", "test", "two")]


def test_what_is_not_audio_is_left_out_and_only_that_is_refused() -> None:
    names = ["a/1.wav", "a/.DS_Store", "__MACOSX/a/._1.wav", "a/notes.txt", "a/2.WAV"]
    assert cells(names, "file") == [("a/1.wav",), ("a/2.WAV",)]
    with pytest.raises(InvalidInput, match="None of these files is audio"):
        guess.propose(["notes.txt", "metadata.csv"])


def test_the_table_of_an_audio_folder_is_read_by_what_its_columns_mean() -> None:
    content = b"file_name,transcription,Sytem,mos\na/1.wav,Hello,alder,4\nb/1.wav,Hi,real,5\n"
    found = guess.propose(["train/a/1.wav", "train/b/1.wav"], content)
    assert found.mapping == {"file_name": "file", "transcription": "text", "Sytem": "system", "mos": ""}
    assert cells(["train/a/1.wav", "train/b/1.wav"], "file", "system", "role", "text", content=content) == [
        ("train/a/1.wav", "alder", "test", "Hello"),
        ("train/b/1.wav", "human", "test", "Hi"),
    ]


def test_exact_columns_come_first_and_a_column_can_be_read_otherwise() -> None:
    content = b"model;system;file\nfoo;alder;1.wav\n"
    assert guess.propose(["1.wav"], content).mapping == {"model": "", "system": "system", "file": "file"}
    chosen = guess.propose(["1.wav"], content, {"model": "system", "system": ""})
    assert chosen.rows[0]["system"] == "foo"


def test_files_are_found_by_the_end_of_their_path_unless_two_end_so() -> None:
    names = ["set/a/1.wav", "set/b/1.wav", "set/b/2.wav"]
    found = guess.propose(names, b"file,system\n/old/place/x.wav,x\nB/1.wav,beta\n2.wav,beta\n1.wav,alpha\n")
    assert [row["file"] for row in found.rows] == ["set/b/1.wav", "set/b/2.wav"]
    assert found.missing == ("/old/place/x.wav", "1.wav")
    assert found.left_out == ("set/a/1.wav",)


def test_a_table_that_names_no_file_is_refused() -> None:
    with pytest.raises(InvalidInput, match="No column of the table names the files"):
        guess.propose(["1.wav"], b"system,role\nalder,test\n")
