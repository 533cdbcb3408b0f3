"""For tasks that compare systems: whether all were compared with one baseline, and answers from both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from analysis.data import groups
from analysis.data.frame import OF_CLIP, TRAPS, category, clip_labels
from core.text.words import say
from studies.clips import queries as clips_queries
from studies.clips import tables as clips_tables
from studies.pool import queries as pool_queries
from studies.task_types.base import AnyTaskType

if TYPE_CHECKING:
    from pandas import DataFrame

TURNED = {"preferred": "other", "other": "preferred"}
SIGNS = str.maketrans("+-", "-+")
IN_PAIRS = say(
    "Each system met several others, so every answer is about two systems, and scores can’t be compared like "
    "independent ones. An analysis compares the systems under Preferences."
)

IN_SETS = say(
    "The clips of a set are judged against each other, so their scores depend on each other, and these models take "
    "them as independent: the section on systems compared has models of whole answers."
)


class Sides(NamedTuple):
    """The second clip of each item, and the `baseline` (name, kind); None if systems met several others."""

    others: dict[int, int]
    baseline: tuple[str, str] | None

    @property
    def name(self) -> str:
        """The name of the baseline; empty if systems met several others."""
        return self.baseline[0] if self.baseline else ""


def sides_of(study_id: int, kind: AnyTaskType) -> Sides | None:
    """Return the sides of a study's test pairs; None if the task compares no systems."""
    if not kind.contests:
        return None
    others = pool_queries.second_clips(study_id, role="test")
    clips = clips_tables.groups(study_id)
    baselines = {(groups.system(clips[clip]), groups.kind(clips[clip])) for clip in others.values()}
    return Sides(others, baselines.pop() if len(baselines) == 1 else None)


def both_sides(frame: DataFrame, study_id: int, sides: Sides, ends: float) -> DataFrame:
    """Return each test rating twice: about the item's first clip, and turned, about its second.

    `ends` is the sum of both ends of the scale. Never use both rows of an answer in one estimate (rule D13).
    """
    rows = frame[~frame["role"].isin(TRAPS).to_numpy()]
    clips = np.array([sides.others[item] for item in rows["item"].tolist()], dtype=np.int64)
    labels = clips_queries.labels(study_id)
    known, at = np.unique(clips, return_inverse=True)
    about = [clip_labels(labels[clip]) for clip in known.tolist()]
    columns = {name: np.array([row[name] for row in about], dtype=object)[at] for name in OF_CLIP if about}
    columns |= {name: rows[of].astype(str).to_numpy() for name, of in (("against", "system"), ("against_kind", "kind"))}
    columns["code"] = np.array([turned(code) for code in rows["code"].astype(str)], dtype=object)
    both = {name: np.concatenate([rows[name].to_numpy()] * 2) for name in rows.columns if name not in columns}
    both["clip"] = np.concatenate([rows["clip"].to_numpy(), clips])
    both["score"] = np.concatenate([rows["score"].to_numpy(), ends - rows["score"].to_numpy()])
    both["is_first"] = np.concatenate([rows["is_first"].to_numpy(), ~rows["is_first"].to_numpy()])
    for name, values in columns.items():
        both[name] = category(np.concatenate([rows[name].astype(str).to_numpy(), values]))
    both["reasons"] = category(np.concatenate([rows["reasons"].astype(str).to_numpy()] * 2))
    return rows.__class__({name: both[name] for name in rows.columns})


def turned(code: str) -> str:
    """Return the code of an answer as seen from the other clip."""
    return TURNED.get(code) or code.translate(SIGNS)
