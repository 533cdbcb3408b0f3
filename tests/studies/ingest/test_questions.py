from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.imports.ingest import table
from studies.imports.ingest.questions import ERRORS, Questions, fits, read, read_golden, same
from studies.task_types.base import Option

HEAD = "passage,question,correct,distractor_1,distractor_1_error,distractor_2,distractor_2_error\n"
FINE = "p1,How long?,Six hours,Sixteen hours,phonetic,Six days,semantic\n"
GOLDEN = "question,correct,distractor_1,distractor_2\n"


def reasons(found: Questions) -> list[tuple[int, str, str]]:
    return [(problem.row, problem.column, problem.reason) for problem in found.problems if not problem.warning]


def test_a_question_is_read_with_the_right_answer_first() -> None:
    found = read((HEAD + FINE).encode())
    assert not found.problems
    (row,) = found.rows
    assert (row.number, row.passage, row.prompt) == (2, "p1", "How long?")
    assert row.options == (Option("Six hours"), Option("Sixteen hours", "phonetic"), Option("Six days", "semantic"))


def test_a_golden_question_has_neither_passage_nor_errors() -> None:
    found = read_golden(f"{GOLDEN}How many days?,Seven,Eight,Five\n".encode())
    assert not found.problems
    assert found.rows[0].passage == ""
    assert found.rows[0].options == (Option("Seven"), Option("Eight"), Option("Five"))
    assert not found.passages


def test_one_distractor_is_enough_and_five_are_taken() -> None:
    columns = "passage,question,correct," + ",".join(f"distractor_{n},distractor_{n}_error" for n in range(1, 6))
    rows = "p1,A?,0,1,phonetic,2,semantic,3,syntax,4,grammar,5,phonetic\np1,B?,0,,,,,1,grammar\n"
    found = read(f"{columns}\n{rows}".encode())
    assert [len(row.options) for row in found.rows] == [6, 2]
    assert found.rows[1].options[1] == Option("1", "grammar")


@pytest.mark.parametrize(
    ("row", "column", "word"),
    [
        ("p1,A?,yes,YES,phonetic,no,semantic", "distractor_1", "the right answer"),
        ("p1,A?,six  hours,no,phonetic,Six hours ,semantic", "distractor_2", "the right answer"),
        ("p1,A?,yes,no,phonetic,No,semantic", "distractor_2", "distractor_1"),
        ("p1,A?,yes,no,fonetic,never,semantic", "distractor_1_error", "phonetic, semantic, syntax, grammar"),
        ("p1,A?,yes,no,Phonetic,never,semantic", "distractor_1_error", "not a type of error"),
        ("p1,A?,yes,no,,never,semantic", "distractor_1_error", "is empty"),
        ("p1,A?,yes,no,phonetic,,semantic", "distractor_2_error", "empty"),
        ("p1,A?,yes,,,,", "distractor_1", "nothing to choose"),
        ("p1,A?,,no,phonetic,never,semantic", "correct", "empty"),
        ("p1,,yes,no,phonetic,never,semantic", "question", "empty"),
        (",A?,yes,no,phonetic,never,semantic", "passage", "empty"),
        ("golden,A?,yes,no,phonetic,never,semantic", "passage", "another text_id"),
        ("p1, HOW  long?,yes,no,phonetic,never,semantic", "question", "row 2"),
        (f"p1,{'A' * 1001},yes,no,phonetic,never,semantic", "question", "1,001"),
        (f"p1,A?,{'y' * 501},no,phonetic,never,semantic", "correct", "501"),
        (f"p1,A?,yes,{'n' * 501},phonetic,never,semantic", "distractor_1", "501"),
        (f"{'p' * 201},A?,yes,no,phonetic,never,semantic", "passage", "201"),
        ('p1,A?,"y\nes",no,phonetic,never,semantic', "correct", "control character"),
        ("p1,A?,yes,n\0o,phonetic,never,semantic", "distractor_1", "control character"),
        ("p1,A?,yes,no,phonetic,never,semantic,more", "", "quotes"),
    ],
)
def test_a_bad_question_is_refused_by_row_and_column(row: str, column: str, word: str) -> None:
    found = read(f"{HEAD}{FINE}{row}\n".encode())
    at, where, reason = reasons(found)[0]
    assert (at, where) == (3, column)
    assert word in reason
    assert [question.number for question in found.rows] == [2]
    assert {problem.table for problem in found.problems} == {"questions"}


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("Days?,,Eight,Five", "correct"),
        ("Days?,Seven,seven,Five", "distractor_1"),
        ("Days?,Seven,,", "distractor_1"),
        (",Seven,Eight,Five", "question"),
    ],
)
def test_a_bad_golden_question_is_refused_by_row_and_column(row: str, column: str) -> None:
    found = read_golden(f"{GOLDEN}{row}\n".encode())
    assert [line[:2] for line in reasons(found)] == [(2, column)]
    assert found.problems[0].table == "golden"
    assert not found.rows


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (HEAD.encode(), "no rows"),
        (b"passage,question,correct,distractor_1,error\n", "Unknown column error"),
        (b"passage,question,correct,distractor_6\n", "Unknown column distractor_6"),
        (b"question,correct,distractor_1\n", "passage"),
        (b"passage,question,question,correct\n", "twice"),
        (b"\xff\xfe" + b"\x00\xd8x\x00", "line 1"),
        ((HEAD + 'p1,"How long?,a\n').encode(), "quotation"),
    ],
)
def test_a_file_that_is_no_list_of_questions_is_refused_in_words(content: bytes, word: str) -> None:
    found = read(content)
    assert word in found.problems[0].reason
    assert "file of questions" in found.problems[0].reason or found.problems[0].row in {0, 1}
    assert not found.rows


def test_a_golden_list_takes_no_passages() -> None:
    assert "Unknown column passage" in read_golden((HEAD + FINE).encode()).problems[0].reason


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 1)
    assert "more than 1 rows" in read(f"{HEAD}{FINE}p2,A?,a,b,phonetic,c,semantic\n".encode()).problems[0].reason


def test_two_distractors_of_one_error_type_are_a_warning_and_no_more() -> None:
    found = read(f"{HEAD}p1,A?,yes,no,phonetic,know,phonetic\n".encode())
    (warning,) = found.problems
    assert (warning.row, warning.column, warning.warning) == (2, "distractor_2_error", True)
    assert len(found.rows) == 1


def test_two_passages_may_ask_the_same() -> None:
    assert len(read(f"{HEAD}{FINE}{FINE.replace('p1', 'p2')}".encode()).rows) == 2


def many(passage: str, number: int) -> bytes:
    rows = "".join(f"{passage},Question {n}?,a,b,phonetic,c,semantic\n" for n in range(number))
    return (HEAD + rows).encode()


@pytest.mark.parametrize(("number", "asked", "is_fine"), [(1, 0, False), (2, 0, True), (10, 0, True), (11, 0, False)])
def test_a_passage_has_two_to_ten_questions(number: int, asked: int, is_fine: bool) -> None:
    found = fits(read(many("p1", number)), {"p1"}, {"p1": asked})
    assert [(problem.row, problem.column) for problem in found] == ([] if is_fine else [(2, "passage")])


@pytest.mark.parametrize(("number", "asked", "is_fine"), [(1, 1, True), (3, 7, True), (3, 8, False)])
def test_questions_that_the_study_has_count_too(number: int, asked: int, is_fine: bool) -> None:
    assert (not fits(read(many("p1", number)), {"p1"}, {"p1": asked})) is is_fine


def test_a_passage_that_no_clip_says_is_refused_once_at_its_first_row() -> None:
    (problem,) = fits(read(many("p9", 3)), {"p1"}, {})
    assert (problem.row, problem.column) == (2, "passage")
    assert "p9" in problem.reason


def test_a_bad_row_still_counts_for_its_passage() -> None:
    found = read(f"{HEAD}{FINE}p1,B?,yes,no,fonetic,never,semantic\n".encode())
    assert len(reasons(found)) == 1
    assert not fits(found, {"p1"}, {})


@given(st.text(max_size=30))
def test_spacing_and_case_never_tell_two_answers_apart(text: str) -> None:
    assert same(f"  {text}\t ") == same(text)
    assert same(same(text)) == same(text)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_and_never_raise(content: bytes) -> None:
    for found in (read(content), read_golden(content), read(HEAD.encode() + content)):
        assert found.rows or found.problems


CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(st.tuples(*[CELL] * 4, st.sampled_from(["", *ERRORS, "other"]), CELL, st.sampled_from(sorted(ERRORS)))))
def test_what_is_taken_can_always_be_asked(rows: list[Any]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([HEAD.strip().split(","), *rows])
    found = read(out.getvalue().encode())
    for row in found.rows:
        texts = [same(option.text) for option in row.options]
        assert len(texts) >= 2
        assert len(set(texts)) == len(texts)
        assert row.options[0].error == ""
        assert all(option.error in ERRORS for option in row.options[1:])
        assert all([row.passage, row.prompt, *texts])
