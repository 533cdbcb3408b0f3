"""The rows of several studies under one another, with the names that papers' tables use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.data.frame import counted
from analysis.data.groups import ANCHOR, HUMAN
from analysis.sections.tables import NAMED

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.sections.results import Material


KEPT = (
    "rater", "clip", "trial", "item", "system", "kind", "voice", "dimension", "benchmark", "condition", "domain", "box",
)  # fmt: skip
SECONDS = ("response_seconds", "decision_seconds")


def rows(studies: Sequence[Material]) -> DataFrame:
    """Return the ratings that count, anchors left out: a study's columns as text, `label` and `material` besides.

    `label` is Human for human speech, else the system, with its condition in parentheses where it was heard in several.
    A text is the same only within its study.
    """
    import pandas as pd

    parts = []
    for study in studies:
        frame = counted(study.frame)
        frame = frame[frame["kind"].to_numpy() != ANCHOR]
        part = pd.DataFrame({name: _plain(frame[name]) for name in (*KEPT, "score", *SECONDS)})
        text = _plain(frame["text"])
        part["material"] = [f"{study.slug}/{name}" if name else "" for name in text]
        part["study"] = study.title
        parts.append(part)
    joined = pd.concat(parts, ignore_index=True)
    joined["label"] = _labels(joined)
    return joined


def order(means: dict[str, float]) -> list[str]:
    """Return labels with Human first, then from the highest mean to the lowest."""
    return sorted(means, key=lambda name: (name != NAMED, -means[name], name))


def levels(column: Any, first: Sequence[str] = ()) -> list[str]:
    """Return the names that occur, those of `first` before the others."""
    names = sorted({str(name) for name in column.unique()} - {""})
    return [*(name for name in first if name in names), *(name for name in names if name not in first)]


def slugs(studies: Sequence[Material]) -> str:
    return ", ".join(study.slug for study in studies)


def _plain(column: Any) -> Any:
    return column.astype(object).to_numpy() if column.dtype == "category" else column.to_numpy()


def _labels(joined: DataFrame) -> Any:
    label = joined["system"].where(joined["kind"] != HUMAN, NAMED)
    named = joined[joined["condition"] != ""]
    several = named.groupby(named["system"])["condition"].nunique()
    split = joined["system"].isin(several[several > 1].index) & (joined["condition"] != "") & (label != NAMED)
    return label.where(~split, label + " (" + joined["condition"] + ")")
