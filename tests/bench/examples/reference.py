"""Print what Python's packages compute from the examples: example,quantity,value,by.

Run by `python -m tests.bench.engines`, with an interpreter that has krippendorff and sureal.
"""

from __future__ import annotations

import contextlib
import csv
import io
import sys
from importlib.metadata import version
from pathlib import Path

import krippendorff
import numpy as np
from sureal.dataset_reader import RawDatasetReader
from sureal.subjective_model import SubjectMLEModelProjectionSolver


def table(name: str) -> np.ndarray:
    """Return an example as (rows, columns), NaN where a value is unknown."""
    text = (Path(__file__).parent / f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
    return np.array([[float(cell or "nan") for cell in row] for row in rows[1:]])


class Ratings(RawDatasetReader):
    """A complete table (videos, raters) as sureal reads it."""

    def __init__(self, ratings: np.ndarray) -> None:
        self.ratings = ratings

    @property
    def opinion_score_3darray(self) -> np.ndarray:
        return self.ratings[:, :, None]


def say(example: str, values: dict[str, float], package: str) -> None:
    rows = csv.writer(sys.stdout)
    for quantity, value in values.items():
        rows.writerow([example, quantity, f"{value:.10g}", f"{package} {version(package)}"])


def main() -> None:
    observers = table("observers").T
    alphas = {
        f"{metric} α": krippendorff.alpha(observers, level_of_measurement=metric)
        for metric in ("nominal", "ordinal", "interval", "ratio")
    }
    say("observers", alphas, "krippendorff")
    with contextlib.redirect_stdout(io.StringIO()):
        found = SubjectMLEModelProjectionSolver(Ratings(table("p910"))).run_modeling()
    say(
        "p910",
        {
            "score of video 1": found["quality_scores"][0],
            "score of video 11": found["quality_scores"][10],
            "score of video 30": found["quality_scores"][29],
            "bias of rater 1": found["observer_bias"][0],
            "inconsistency of rater 1": found["observer_inconsistency"][0],
            "inconsistency of rater 12": found["observer_inconsistency"][11],
        },
        "sureal",
    )


if __name__ == "__main__":
    main()
