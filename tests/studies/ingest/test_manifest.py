from __future__ import annotations

import re
import tracemalloc

import pytest

from studies.imports.ingest import manifest, table
from studies.imports.ingest.manifest import read
from tests import audio
from tests.servers import ROOT

HEAD = "file,system,role\n"


def reasons(text: str | bytes) -> list[tuple[int, str, str]]:
    """Return (row, column, reason) of every problem."""
    content = text.encode() if isinstance(text, str) else text
    return [(problem.row, problem.column, problem.reason) for problem in read(content).problems]


def only_reason(text: str | bytes) -> tuple[int, str, str]:
    found = reasons(text)
    assert len(found) == 1, found
    return found[0]


def test_a_manifest_with_every_column_is_read() -> None:
    row = dict.fromkeys(manifest.COLUMNS, "x") | {
        "file": "a/b.wav",
        "role": "trap_human",
        "box": "black",
        "seen": "no",
        "expected": "2",
    }
    found = read(audio.manifest([row]))
    assert not found.problems
    assert {name: getattr(found.rows[0], name) for name in manifest.COLUMNS} == row
    assert found.rows[0].number == 2


def test_whether_a_system_was_trained_on_a_benchmark_is_yes_no_or_empty() -> None:
    text = "file,system,role,seen\na.wav,alpha,test,yes\nb.wav,alpha,test,no\nc.wav,alpha,test,\n"
    assert [row.seen for row in read(text.encode()).rows] == ["yes", "no", ""]
    row, column, reason = only_reason(text + "d.wav,alpha,test,maybe\n")
    assert (row, column) == (5, "seen")
    assert "“maybe”" in reason
    assert "yes" in reason


def test_the_manifest_to_fill_in_has_every_column_and_no_problem() -> None:
    content = (ROOT / "static/files/manifest.csv").read_bytes()
    found = read(content)
    assert not found.problems
    assert content.decode().splitlines()[0].split(",") == list(manifest.COLUMNS)
    assert [row.role for row in found.rows] == ["test", "test", "trap_flawed", "trap_human"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_comma_semicolon_and_tab_are_told_apart(separator: str) -> None:
    text = "file,system,role\na.wav,alpha,test\n".replace(",", separator)
    assert read(text.encode()).rows[0].system == "alpha"


def test_a_byte_order_mark_is_no_part_of_the_first_column() -> None:
    assert read(("\ufeff" + HEAD + "a.wav,alpha,test\n").encode()).rows[0].file == "a.wav"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_unicode_of_spreadsheets_is_read_without_a_word(encoding: str, newline: str) -> None:
    content = (HEAD + "é.wav;alpha;test\n").replace(",", ";").replace("\n", newline).encode(encoding)
    found = read(content)
    assert not found.problems
    assert found.rows[0].file == "é.wav"


@pytest.mark.parametrize(
    ("encoding", "system", "name"),
    [
        ("cp1252", "Müller", "Windows-1252"),
        ("cp1252", "Élève – “é”", "Windows-1252"),
        ("gb18030", "甲系统", "GB 18030"),
    ],
)
def test_what_old_spreadsheets_write_is_read_and_shown_for_a_check(encoding: str, system: str, name: str) -> None:
    found = read((HEAD + f"a.wav,{system},test\n").encode(encoding))
    assert found.rows[0].system == system
    [problem] = found.problems
    assert problem.warning
    assert name in problem.reason
    assert f"“{system}”" in problem.reason


@pytest.mark.parametrize("content", [bytes(range(256)) * 20, b"\xff\xfef\x00\x00\xd8x\x00"])
def test_what_is_no_text_is_refused_with_its_line(content: bytes) -> None:
    assert re.search(r"can't be read as text \(line [12]\)", only_reason(content)[2])


@pytest.mark.parametrize(
    ("column", "meant"),
    [("voise", " Did you mean voice?"), ("comment", ""), ("", ""), ("langauge", " Did you mean language?")],
)
def test_an_unknown_column_is_ignored_with_a_warning_that_guesses_what_was_meant(column: str, meant: str) -> None:
    found = read(f"file,system,{column},role\na.wav,alpha,x,test\n".encode())
    assert [(row.file, row.role, row.voice, row.language) for row in found.rows] == [("a.wav", "test", "", "")]
    [problem] = found.problems
    assert (problem.row, problem.column, problem.warning) == (1, column, True)
    assert problem.reason.endswith(f"was ignored.{meant}")


def test_a_missing_column_names_the_one_that_was_probably_meant() -> None:
    reason = only_reason("file,sytem,role\na.wav,alpha,test\n")[2]
    assert "The column system is missing" in reason
    assert "Is “sytem” meant as system? Rename it." in reason


@pytest.mark.parametrize("header", ["file,system", "file,role,role,system", "", "\n\n"])
def test_a_header_that_lacks_or_repeats_a_column_is_refused(header: str) -> None:
    assert only_reason(header + "\na.wav,test\n")[0] == 1


def test_a_manifest_without_rows_is_refused() -> None:
    assert "no rows" in only_reason(HEAD)[2]


@pytest.mark.parametrize(
    ("row", "column"),
    [
        (",alpha,test", "file"),
        ("a.wav, ,test", "system"),
        ("a.wav,alpha,", "role"),
        ("a.wav,alpha,Test", "role"),
        ("a.wav,alpha", "role"),
        ("/etc/passwd,alpha,test", "file"),
        ("C:\\a.wav,alpha,test", "file"),
        ("../a.wav,alpha,test", "file"),
        ("x\\..\\..\\a.wav,alpha,test", "file"),
        ("a\0.wav,alpha,test", "file"),
        (f"{'a' * 501},alpha,test", "file"),
        (f"a.wav,{'s' * 101},test", "system"),
        ('a.wav,"al\npha",test', "system"),
        ("a.wav,alpha,test,more", ""),
    ],
)
def test_a_row_with_a_bad_value_is_refused_by_row_and_column(row: str, column: str) -> None:
    found = reasons(f"{HEAD}fine.wav,alpha,test\n{row}\n")
    assert (found[0][0], found[0][1]) == (3, column)
    assert len(read(f"{HEAD}fine.wav,alpha,test\n{row}\n".encode()).rows) == 1


def test_rows_are_counted_as_a_spreadsheet_counts_them() -> None:
    text = 'file,system,role,text_id,text\na.wav,s,test,t,"two\nlines"\n\nb.wav,s,nonsense,,\n'
    assert only_reason(text)[:2] == (4, "role")


def test_a_file_named_twice_is_refused_also_when_only_case_differs() -> None:
    first, second = reasons(HEAD + "a.wav,s,test\na.wav,s,test\nA.WAV,s,test\n")
    assert first[:2] == (3, "file")
    assert second[0] == 4
    assert "case" in second[2]


def test_one_text_id_with_two_texts_is_refused() -> None:
    text = "file,system,role,text_id,text\na.wav,s,test,t1,Hello.\nb.wav,s,test,t1,Goodbye.\nc.wav,s,test,t1,\n"
    row, column, reason = only_reason(text)
    assert (row, column) == (3, "text")
    assert "row 2" in reason


def test_the_same_words_without_an_id_are_the_same_text() -> None:
    rows = read(b"file,system,role,text\na.wav,s,test,Hello.\nb.wav,t,test,Hello.\nc.wav,t,test,Bye.\n").rows
    assert rows[0].text_id == rows[1].text_id != rows[2].text_id
    assert rows[0].text_id


def test_an_open_quotation_mark_is_refused_with_its_row() -> None:
    found = reasons(HEAD + 'a.wav,s,test\nb.wav,"s,test\n')
    assert found[-1][0] in {0, 3}
    assert "quotation" in found[-1][2]


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 2)
    assert "more than 2 rows" in only_reason(HEAD + "a,s,test\nb,s,test\nc,s,test\n")[2]


def test_empty_columns_at_the_end_are_ignored() -> None:
    assert read(b"file,system,role,,\na.wav,s,test,,\n").rows


def test_backslashes_and_decomposed_letters_name_the_same_file() -> None:
    assert read(f"{HEAD}x\\e\u0301.wav,s,test\n".encode()).rows[0].file == "x/\u00e9.wav"


def test_a_manifest_is_read_line_by_line_and_repeated_values_are_kept_once() -> None:
    content = (HEAD.strip() + ",text_id,text\n").encode()
    content += b"".join(f"{n}.wav,s,test,t,{'word ' * 400}\n".encode() for n in range(4000))
    tracemalloc.start()
    try:
        assert len(read(content).rows) == 4000
        assert tracemalloc.get_traced_memory()[1] < len(content) / 2
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_characters_may_lie_across_the_parts_in_which_the_encoding_is_checked(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setattr(table, "CHUNK", 3)
    content = (HEAD.strip() + ",voice\n" + "ü.wav,声音,test,𝄞\n").encode(encoding)
    assert [(row.file, row.system, row.voice) for row in read(content).rows] == [("ü.wav", "声音", "𝄞")]


def test_names_that_differ_in_case_alone_are_refused_whichever_comes_first() -> None:
    for names in (("a.wav", "A.wav"), ("A.wav", "a.wav"), ("Ab.wav", "aB.wav")):
        found = reasons(HEAD + "".join(f"{name},s,test\n" for name in names))
        assert [(row, column) for row, column, _ in found] == [(3, "file")]
        assert f"already in row 2 as {names[0]}" in found[0][2]


@pytest.mark.parametrize("name", ["NA", "None", "nan", "001"])
def test_a_system_that_other_programs_read_as_something_else_is_warned_of_once(name: str) -> None:
    found = read((HEAD + f"a.wav,{name},test\nb.wav,{name},test\nc.wav,natural,test\n").encode())
    assert len(found.rows) == 3
    assert [(problem.row, problem.column, problem.warning) for problem in found.problems] == [(2, "system", True)]
    assert f"“{name}”" in found.problems[0].reason


@pytest.mark.parametrize("sign", ["=", "＝", "＋", "－", "＠"])
def test_full_width_signs_are_quoted_like_their_ascii_forms(sign: str) -> None:
    assert table.quoted(f"{sign}1") == f"'{sign}1"
    assert table.unquoted(f"'{sign}1") == f"{sign}1"
