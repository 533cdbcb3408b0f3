"""Tables of other tools: their dialects, columns, ids and paths."""

from __future__ import annotations

import pytest

from studies.imports.ingest import adapting, guess, table
from studies.imports.ingest.manifest import KIND
from studies.imports.ingest.problems import InvalidInput
from tests import audio

FLAT = ["utt1.wav", "utt2.wav"]
BELOW = ["sysA/utt1.wav", "sysA/utt2.wav"]


def read(content: str, names: list[str], *columns: str) -> list[tuple[str, ...]]:
    return [tuple(row.get(column, "") for column in columns) for row in guess.propose(names, content.encode()).rows]


def test_pipes_without_a_header_are_an_id_and_a_text() -> None:
    content = "utt1|hello there, you|hello there, you\nutt2|more words|more words\n"
    assert read(content, FLAT, "file", "text") == [("utt1.wav", "hello there, you"), ("utt2.wav", "more words")]
    found = guess.propose(FLAT, content.encode())
    assert found.mapping == {"column 1": "file", "column 2": "text", "column 3": ""}
    assert found.examples == {
        "column 1": ["utt1", "utt2"],
        "column 2": ["hello there, you", "more words"],
        "column 3": ["hello there, you", "more words"],
    }
    assert found.ignored == ["column 3"]


def test_the_list_of_seed_tts_eval_names_prompts_and_texts() -> None:
    content = "utt1|prompt words|prompts/p1.wav|words to say\nutt2|prompt words|prompts/p2.wav|more words\n"
    names = ["wavs/utt1.wav", "wavs/utt2.wav", "prompts/p1.wav", "prompts/p2.wav"]
    assert read(content, names, "file", "text", "prompt_file", "role") == [
        ("wavs/utt1.wav", "words to say", "prompts/p1.wav", "test"),
        ("wavs/utt2.wav", "more words", "prompts/p2.wav", "test"),
    ]


def test_pipes_of_piper_name_the_speaker() -> None:
    content = "".join(f"utt{n}|anna|text number {n}\n" for n in (1, 2))
    assert read(content, FLAT, "voice", "text") == [("anna", "text number 1"), ("anna", "text number 2")]


def test_pipes_with_a_header_keep_commas_in_texts() -> None:
    content = "file|speaker|text\nsysA/utt1.wav|spk1|hello\nsysA/utt2.wav|spk1|more, words\n"
    assert read(content, BELOW, "voice", "text") == [("spk1", "hello"), ("spk1", "more, words")]


def test_a_sentence_of_a_tsv_begins_with_a_quotation_mark() -> None:
    content = 'path\tsentence\tlocale\nutt1.wav\t"So soon?" he asked.\ten\nutt2.wav\t"Left open\ten\n'
    assert read(content, FLAT, "text", "language") == [('"So soon?" he asked.', "en"), ('"Left open', "en")]
    quoted = 'path\tsentence\nutt1.wav\t"with\ttab"\nutt2.wav\tplain\n'
    assert read(quoted, FLAT, "text") == [("with\ttab",), ("plain",)]


@pytest.mark.parametrize("column", ["audio_filepath", "file_name", "deg", "filepath_deg", "path"])
def test_columns_of_other_tools_name_the_files(column: str) -> None:
    assert read(f"{column},text,model\nsysA/utt1.wav,hello,sysA\n", BELOW, "file", "system") == [
        ("sysA/utt1.wav", "sysA")
    ]


def test_json_lines_are_rows() -> None:
    content = (
        '{"audio_filepath": "sysA/utt1.wav", "text": "a, b", "duration": 1.5}\n{"audio_filepath": "sysA/utt2.wav"}\n'
    )
    assert read(content, BELOW, "file", "text") == [("sysA/utt1.wav", "a, b"), ("sysA/utt2.wav", "")]
    with pytest.raises(InvalidInput, match="Row 1 is not valid JSON"):
        read('{"audio_filepath": \n', BELOW, "file")


def test_the_list_of_kaldi_names_the_files() -> None:
    assert read("a /data/sysA/utt1.wav\nb /data/sysA/utt2.wav\n", BELOW, "file") == [(name,) for name in BELOW]


@pytest.mark.parametrize("column", ["id", "file", "utt_id"])
@pytest.mark.parametrize("names", [FLAT, BELOW])
def test_ids_and_files_without_ending_are_matched_to_the_only_file_of_that_name(column: str, names: list[str]) -> None:
    content = f"{column},text,model\nutt1,hello,sysA\nutt2,more,sysA\n"
    assert read(content, names, "file", "text") == [(names[0], "hello"), (names[1], "more")]


@pytest.mark.parametrize("folder", ["/data/out", "exp/run1", "C:\\data\\out", "../out"])
@pytest.mark.parametrize("names", [FLAT, BELOW])
def test_longer_and_absolute_paths_are_matched_by_their_longest_ending(folder: str, names: list[str]) -> None:
    content = f"file,model\n{folder}/sysA/utt1.wav,sysA\n{folder}/sysA/utt2.wav,sysA\n"
    expected = [] if folder.startswith("..") else [(name,) for name in names]
    assert read(content, names, "file") == expected


def test_a_row_of_another_folder_is_not_matched_to_the_file_that_is_there() -> None:
    found = guess.propose(["utt1.wav"], b"file,model\nsysA/utt1.wav,sysA\nutt1.wav,sysB\n")
    assert [row["system"] for row in found.rows] == ["sysA"]
    assert found.missing == ("utt1.wav",)
    found = guess.propose(["b/1.wav", "b/2.wav", "c/3.wav"], b"file\na/1.wav\nb/2.wav\n")
    assert [row["file"] for row in found.rows] == ["b/2.wav"]


def test_numbers_written_in_another_way_are_a_hint() -> None:
    found = guess.propose(["a/001.wav", "a/002.wav"], b"file\n1.wav\n002.wav\n")
    assert found.missing == ("1.wav",)
    assert found.hints == {"1.wav": "a/001.wav"}
    reasons = [problem.reason for problem in adapting.left_out(found)]
    assert reasons == ["The table names this file, but it isn't there. It was left out. Did you mean a/001.wav?"]


def test_of_several_tables_the_one_that_names_most_files_is_read() -> None:
    tables = {
        "train.tsv": b"path\tsentence\nnone.wav\ta\n",
        "test.tsv": b"path\tsentence\nutt1.wav\ta\nutt2.wav\tb\n",
        "speakers.csv": b"id,age\nx,30\n",
        "questions.csv": b"passage,question\nutt1,why\n",
    }
    assert adapting.table_of([*FLAT, *tables], tables.__getitem__) == ["test.tsv"]
    tables["validated.tsv"] = tables["test.tsv"]
    assert adapting.table_of([*FLAT, *tables], tables.__getitem__) == ["test.tsv", "validated.tsv"]


def test_a_table_that_names_other_files_says_so_with_an_example() -> None:
    with pytest.raises(InvalidInput, match=r"None of the files that the table names is there, for example x/9\.wav\."):
        adapting.adapted(b"file,text\nx/9.wav,hello\n", FLAT)


def test_a_table_without_files_names_its_columns() -> None:
    with pytest.raises(InvalidInput, match=r"Its columns are a, b\. Call the one with files “file”\."):
        guess.propose(FLAT, b"a,b\n1,2\n")


def test_the_system_in_a_table_settles_two_readings_of_the_names() -> None:
    names = [f"{one}/{other}.wav" for one in ("alder", "birch") for other in ("hello", "river")]
    assert guess.propose(names).readings
    with pytest.raises(adapting.Ambiguous, match="system/text or as text/system"):
        adapting.adapted("\n".join(["file", *names]).encode(), names)
    rows = [{"file": name, "model": name[0], "utt_id": name[-5]} for name in names]
    assert not guess.propose(names, audio.manifest(rows)).readings


def test_a_manifest_of_another_separator_keeps_its_quotes() -> None:
    content = 'file;system;role;text\na.wav;x;test;"one; two"\n'
    rows = [cells for _number, cells in table.records(content.splitlines(keepends=True), KIND)]
    assert rows[1] == ["a.wav", "x", "test", "one; two"]
