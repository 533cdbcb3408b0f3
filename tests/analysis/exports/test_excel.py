"""Exports for Excel: CSV with a byte order mark, and workbooks."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from analysis.data.models import Simulated
from analysis.exports import files, workbook
from analysis.exports.columns import Column
from analysis.exports.models import Format
from analysis.exports.source import Source
from analysis.exports.workbook import Workbook
from core.errors import Invalid
from tests.analysis.world import World

COLUMNS = (
    Column("text", "text", "Words."),
    Column("system", "id", "A name."),
    Column("score", "number", "A number."),
    Column("usable", "boolean", "Yes or no."),
    Column("answered_at", "time", "A time."),
    Column("day", "day", "A day."),
)
MOMENT = datetime(2026, 3, 2, 9, 30, 0, 123000, tzinfo=UTC)


def page(**cells: list[object]) -> dict[str, list[object]]:
    rows = len(next(iter(cells.values())))
    return {column.name: cells.get(column.name, [None] * rows) for column in COLUMNS}


def read(path: Path) -> list[list[tuple[object, ...]]]:
    """Return the rows of each sheet."""
    return [list(sheet.iter_rows(values_only=True)) for sheet in openpyxl.load_workbook(path).worksheets]


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_csv_for_excel_has_a_byte_order_mark_and_the_same_cells(world: World, tmp_path: Path) -> None:
    world.rate(world.batch(world.session()), world.clips("alpha")[0], "unclear", reason="停顿太长了，语调也平")
    files.write(Source(world.study, Simulated.WITHOUT), tmp_path / "plain")
    files.write(Source(world.study, Simulated.WITHOUT, Format.EXCEL), tmp_path / "excel")
    plain = {path.name: path.read_bytes() for path in (tmp_path / "plain").glob("*.csv")}
    marked = {path.name: path.read_bytes() for path in (tmp_path / "excel").iterdir() if path.suffix != ".json"}
    assert marked == {name: b"\xef\xbb\xbf" + content for name, content in plain.items() if name != "codebook.csv"} | {
        "codebook.csv": marked["codebook.csv"]
    }
    assert marked["codebook.csv"].startswith(b"\xef\xbb\xbf")


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_workbooks_hold_the_rows_of_the_csv_files_and_are_equal_to_the_byte(world: World, tmp_path: Path) -> None:
    world.rate(world.batch(world.session()), world.clips("alpha")[0], "unclear", reason="=1+1 停顿太长了，语调也平")
    for name, format_ in (("plain", Format.CSV), ("one", Format.XLSX), ("two", Format.XLSX)):
        files.write(Source(world.study, Simulated.WITHOUT, format_), tmp_path / name)
    for path in (tmp_path / "one").glob("*.xlsx"):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
        with open(tmp_path / "plain" / f"{path.stem}.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        [sheet] = read(path)
        assert list(sheet[0]) == rows[0]
        assert len(sheet) == len(rows)
    [ratings] = read(tmp_path / "one" / "ratings.xlsx")
    row = dict(zip(ratings[0], ratings[1], strict=True))
    assert (row["score"], row["usable"], row["justification"]) == (0.5, True, "=1+1 停顿太长了，语调也平")
    assert row["answered_at"] == datetime(2026, 3, 2, 9, 30, 9)


def test_cells_keep_their_types_and_text_is_never_a_formula(tmp_path: Path) -> None:
    book = Workbook(COLUMNS, tmp_path / "t.xlsx")
    book.add(page(text=["=1+1", ""], system=["001", "NA"], score=[0.25, float("nan")], usable=[False, None],
                  answered_at=[MOMENT, None], day=[MOMENT, None]))  # fmt: skip
    book.close()
    [[_, first, second]] = read(tmp_path / "t.xlsx")
    assert first == ("=1+1", "001", 0.25, False, MOMENT.replace(tzinfo=None), datetime(2026, 3, 2))
    assert second[:4] == ("", "NA", "nan", None)
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").worksheets[0]
    assert sheet["A2"].data_type == "s"


def test_a_full_sheet_is_continued_on_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "SHEET_ROWS", 2)
    book = Workbook(COLUMNS, tmp_path / "t.xlsx")
    for number in range(5):
        book.add(page(score=[number]))
    book.close()
    sheets = read(tmp_path / "t.xlsx")
    assert [[row[2] for row in sheet] for sheet in sheets] == [["score", 0, 1], ["score", 2, 3], ["score", 4]]


def test_a_text_that_no_cell_can_hold_is_refused_and_never_cut(tmp_path: Path) -> None:
    book = Workbook(COLUMNS, tmp_path / "t.xlsx")
    with pytest.raises(Invalid, match="32768 characters"):
        book.add(page(text=["a" * 32768]))
    book.close()
