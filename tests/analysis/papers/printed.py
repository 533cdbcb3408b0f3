"""Numbers as the papers print them, in `published/` with a file for each table.

`hfr_table*`: *The State of TTS: A Case Study with Human Fooling Rates*; `sp_mcqa_table*`: *SP-MCQA: Evaluating
Intelligibility of TTS Beyond the Word Level*; `att_table*`: *Audio Turing Test*. Numbers have the papers' digits.
"""

from __future__ import annotations

import csv
from pathlib import Path

FOLDER = Path(__file__).parent / "published"


def rows(table: str) -> list[dict[str, str]]:
    """Return a published table, a dictionary for each row."""
    with (FOLDER / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
