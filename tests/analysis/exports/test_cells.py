"""How single cells are written."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.exports.columns import Column, Kind, cell, plain
from analysis.exports.pseudonyms import Pseudonyms
from analysis.exports.writers import Texts, line
from analysis.sections.tables import neutral


def column(kind: Kind) -> Column:
    return Column("x", kind, "Something.")


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "-3 dB",
        "+49",
        "@x",
        "\t=1",
        "  =1",
        "＝1+1",
        "－3",
        "＋1",
        "＠x",
        "\r=1",
        "\n",
        "\0=1",
        "\u3000=1",
        "\ufeff=1",
    ],
)
def test_crowd_14_text_that_a_spreadsheet_would_compute_gets_an_apostrophe(text: str) -> None:
    assert cell(column("text"), text) == f"'{text}"
    assert plain(column("text"), text) == text


@pytest.mark.parametrize("text", ["", "a=1", "语速太快", "'quoted", "3 - 2", "ok\t=1"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert neutral(text) == text


def test_crowd_14_numbers_are_never_altered_for_spreadsheets() -> None:
    assert cell(column("number"), -3) == "-3"
    assert cell(column("number"), -0.5) == "-0.5"


@pytest.mark.parametrize(
    ("value", "written"),
    [(1.0, "1"), (0.5, "0.5"), (1 / 3, "0.333333"), (1e-9, "0"), (-1e-9, "0"), (1e7, "10000000"), (7, "7")],
)
def test_numbers_have_one_form_and_no_exponent(value: float, written: str) -> None:
    assert cell(column("number"), value) == written


def test_times_are_utc_with_milliseconds_whatever_zone_they_came_in() -> None:
    moment = datetime(2026, 3, 2, 9, 30, 0, 123999, tzinfo=UTC)
    assert cell(column("time"), moment) == "2026-03-02T09:30:00.123Z"
    assert cell(column("time"), moment.astimezone(timezone(timedelta(hours=8)))) == "2026-03-02T09:30:00.123Z"


@pytest.mark.parametrize("kind", ["text", "id", "code", "number", "time", "boolean"])
def test_what_is_missing_is_an_empty_cell_and_a_null(kind: Kind) -> None:
    assert cell(column(kind), None) == ""
    assert plain(column(kind), None) is None


def test_booleans_have_one_spelling() -> None:
    assert [cell(column("boolean"), value) for value in (True, False)] == ["true", "false"]


@pytest.mark.parametrize("text", ['say "yes", then stop', "two\nlines", "a\rb", "comma, here", "音节, 停顿", ""])
def test_crowd_14_every_text_comes_back_through_a_csv_reader(text: str) -> None:
    cells: Any = ["x", text, "y"]
    assert list(csv.reader(io.StringIO(line(iter(cells)), newline=""))) == [cells]


def test_crowd_14_the_lossless_file_comes_back_through_pandas_as_it_was(tmp_path: Path) -> None:
    texts = ["=1+1", "-3", "-3 dB", "@x", "a\tb", "a\rb", 'say "yes"', "two\nlines", "音节", "\u202eעברית\u202c", ""]
    columns = (Column("text", "text", "Words."), Column("value", "number", "A number."))
    path = tmp_path / "rows.jsonl"
    writer = Texts(columns, tmp_path / "rows.csv", path)
    writer.add({"text": texts, "value": [-3] * len(texts)})
    writer.close()
    found = pd.read_json(path, lines=True, dtype=False)
    assert found["text"].tolist() == texts
    assert found["value"].tolist() == [-3] * len(texts)


def test_pseudonyms_hold_within_a_study_and_nowhere_else() -> None:
    here, there = Pseudonyms("a" * 64), Pseudonyms("b" * 64)
    assert here.rater(1) == Pseudonyms("a" * 64).rater(1)
    assert len({here.rater(1), here.rater(2), here.session(1), there.rater(1)}) == 4
    assert len(here.rater(1)) == 12


PAGES: list[tuple[Kind, list[Any]]] = [
    ("number", [0.0, -0.0]),
    ("number", [1, 1]),
    ("number", [1, 1.0, None]),
    ("number", [0.5, None, float("inf")]),
    ("number", [0.5, float("nan")]),
    ("number", [1 / 3, 1e-9, 1e22]),
    ("boolean", [True, True]),
    ("boolean", [1, True, None]),
    ("text", ["=1", "=1", "=1"]),
    ("text", ["a", None]),
    ("code", [None, None]),
    ("time", [datetime(2026, 3, 2, 9, 30, 0, 999_999, tzinfo=UTC), None]),
    ("time", [None, None]),
]


@pytest.mark.parametrize(("kind", "values"), PAGES)
def test_a_page_of_values_is_written_as_each_value_alone(tmp_path: Path, kind: Kind, values: list[Any]) -> None:
    # A second column, so that no line is empty.
    columns = (column(kind), Column("n", "number", "Number."))
    texts = Texts(columns, tmp_path / "t.csv", tmp_path / "t.jsonl")
    texts.add({"x": values, "n": list(range(len(values)))})
    texts.close()
    cells = [line([cell(columns[0], value), str(n)]) for n, value in enumerate(values)]
    assert (tmp_path / "t.csv").read_text() == "x,n\n" + "".join(cells)
    members = [f'{{"x":{json.dumps(plain(columns[0], value))},"n":{n}}}\n' for n, value in enumerate(values)]
    assert (tmp_path / "t.jsonl").read_text() == "".join(members)
