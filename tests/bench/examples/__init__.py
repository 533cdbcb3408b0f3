"""Published examples, a small table each, and what other programs compute from them (`tests/bench/engines.py`)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from analysis.stats.design import Floats

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Reference:
    """A value, and the program and version that computed it."""

    value: float
    by: str


def columns(name: str) -> dict[str, Floats]:
    """Return the columns of an example; NaN where a value is unknown."""
    header, *rows = csv.reader(line for line in _text(name).splitlines() if not line.startswith("#"))
    values = np.array([[float(cell or "nan") for cell in row] for row in rows])
    return dict(zip(header, values.T, strict=True))


def matrix(name: str) -> Floats:
    """Return an example as (rows, columns)."""
    return np.column_stack(list(columns(name).values()))


def source(name: str) -> str:
    """Return what an example is, and where it is from."""
    return _text(name).splitlines()[0].removeprefix("# ")


def references(text: str) -> dict[tuple[str, str], Reference]:
    """Return {(example, quantity): reference} of lines `example,quantity,value,by`."""
    return {
        (example, quantity): Reference(float(value), by)
        for example, quantity, value, by in csv.reader(text.splitlines())
    }


def stored() -> dict[tuple[str, str], Reference]:
    """Return the stored references: those of the last `python -m tests.bench.engines --store`."""
    return references(_text("reference"))


def _text(name: str) -> str:
    return (FOLDER / f"{name}.csv").read_text(encoding="utf-8")
