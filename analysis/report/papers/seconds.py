"""The HFR paper's Table 5: how long one sample takes, by test type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.data.frame import counted
from analysis.report.papers.table import Cell, Column, Table

if TYPE_CHECKING:
    from analysis.report.material import Material

TITLE = "Table 5. Seconds that a rater takes for one sample"
SHORT = {"hfr": "HFR", "hfr_granular": "HFR-Granular", "mushra": "MUSHRA", "sp_mcqa": "SP-MCQA", "ternary": "ATT"}
ORDER = tuple(SHORT)


def table(studies: Sequence[Material]) -> Table:
    """Return mean and median by test type, of studies of one type together (rule C4)."""
    import pandas as pd

    kinds = sorted(
        {study.kind.name for study in studies},
        key=lambda kind: (kind not in ORDER, ORDER.index(kind) if kind in ORDER else 0, kind),
    )
    columns, values = [Column("Time taken")], []
    for kind in kinds:
        frames = [counted(study.frame) for study in studies if study.kind.name == kind]
        # A clip with several questions has several rows of one time.
        each = pd.concat([frame.drop_duplicates(["trial", "clip"])["response_seconds"] for frame in frames]).dropna()
        columns.append(Column(SHORT.get(kind, kind.upper()), 2))
        values.append((float(each.mean()), float(each.median()), len(each)) if len(each) else (None, None, 0))
    names = ("Mean (s)", "Median (s)", "Samples")
    rows: list[tuple[Cell, ...]] = [(name, *(found[at] for found in values)) for at, name in enumerate(names)]
    notes = (
        "From the clip shown to the answer; a screen of several clips is divided by their number.",
        *(["Other test types join with --with."] if len(kinds) == 1 else []),
    )
    return Table("hfr_table5", TITLE, tuple(columns), tuple(rows), notes)
