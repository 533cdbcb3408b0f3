"""codebook.csv: what every column of the other files means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from analysis.exports.columns import Column, Table

COLUMNS = (
    Column("table", "id", "File that the column is in."),
    Column("column", "id", "Name of the column."),
    Column("type", "code", "What it holds.", levels="text|id|code|number|time|day|boolean"),
    Column("unit", "id", "Unit of a number."),
    Column("levels", "id", "Values it may take, joined by |."),
    Column("missing", "id", "How a missing value is written."),
    Column("meaning", "id", "What it means."),
)


def table(tables: Sequence[Table]) -> Table:
    """Describe these tables and the codebook itself."""

    def rows() -> Iterator[dict[str, Any]]:
        for name, columns in [*((table.name, table.columns) for table in tables), ("codebook", COLUMNS)]:
            for column in columns:
                yield {
                    "table": name,
                    "column": column.name,
                    "type": column.kind,
                    "unit": column.unit,
                    "levels": "true|false" if column.kind == "boolean" else column.levels,
                    "missing": "empty",
                    "meaning": column.meaning,
                }

    return Table("codebook", COLUMNS, rows)
