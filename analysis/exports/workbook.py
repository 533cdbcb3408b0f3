"""Write rows to an Excel workbook."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite
from pathlib import Path

from django.utils.translation import gettext as _

from analysis.exports.columns import Cell, Column, Page, cell
from core.errors import Invalid

# Rows of a sheet, without its header.
SHEET_ROWS = (1 << 20) - 1
# Two exports of the same data are equal to the byte, so the time of writing is left out.
NO_DATE = datetime(1980, 1, 1)
WIDTH_OF_TIMES = 22


class Workbook:
    """An Excel workbook; a full sheet is continued on another one, and rows are not kept in memory.

    Text is stored as text, which Excel never evaluates, so it is not changed. Times are UTC.
    """

    def __init__(self, columns: tuple[Column, ...], path: Path) -> None:
        # Only here: the web process never needs it.
        import xlsxwriter

        self._columns = columns
        self._book = xlsxwriter.Workbook(path, {"constant_memory": True})
        self._book.set_properties({"created": NO_DATE})
        self._bold = self._book.add_format({"bold": True})
        self._formats = {
            "time": self._book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"}),
            "day": self._book.add_format({"num_format": "yyyy-mm-dd"}),
        }
        self._begin_sheet()

    def add(self, page: Page) -> None:
        """Add rows; raises `Invalid` for a text that is too long for a cell."""
        for row in zip(*(page[column.name] for column in self._columns), strict=True):
            if self._row > SHEET_ROWS:
                self._begin_sheet()
            for at, (column, value) in enumerate(zip(self._columns, row, strict=True)):
                if value is not None:
                    self._write(at, column, value)
            self._row += 1

    def close(self) -> None:
        self._book.close()

    def _begin_sheet(self) -> None:
        self._sheet = self._book.add_worksheet()
        self._sheet.freeze_panes(1, 0)
        for at, column in enumerate(self._columns):
            if column.kind in self._formats:
                self._sheet.set_column(at, at, WIDTH_OF_TIMES)
            self._sheet.write_string(0, at, column.name, self._bold)
        self._row = 1

    def _write(self, at: int, column: Column, value: Cell) -> None:
        if column.kind == "boolean":
            self._sheet.write_boolean(self._row, at, bool(value))
        elif isinstance(value, datetime):
            moment = value.astimezone(UTC).replace(tzinfo=None)
            shown = datetime(moment.year, moment.month, moment.day) if column.kind == "day" else moment
            self._sheet.write_datetime(self._row, at, shown, self._formats[column.kind])
        elif column.kind == "number" and isinstance(value, int | float) and isfinite(value):
            self._sheet.write_number(self._row, at, value)
        else:
            text = value if isinstance(value, str) else cell(column, value)
            if self._sheet.write_string(self._row, at, text):
                words = _("A cell of the column {column} has {number} characters, more than Excel takes. Choose CSV.")
                raise Invalid(words.format(column=column.name, number=len(text)))
