"""Scores by system, voice, dimension and box, from the rows that count."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from analysis.stats import scores as stats
from analysis.stats.scores import Keys, Mean, Scores
from raters.selectors import ratings
from studies.selectors.clips_table import Groups
from studies.task_types.base import Score as Scale

HUMAN = "human"
DTYPE = np.dtype([("rater", np.int64), ("clip", np.int64), ("value", np.float64), ("usable", np.bool_)])
Label = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Test ratings as columns of equal length, with the labels that clips are grouped by."""

    raters: Keys
    clips: Keys
    values: Scores
    usable: Any
    groups: dict[int, Groups]

    @classmethod
    def read(cls, rows: Iterable[ratings.Score], groups: dict[int, Groups]) -> Rows:
        """Read a stream of ratings: 25 bytes a row."""
        table = np.fromiter(rows, dtype=DTYPE)
        return cls(table["rater"], table["clip"], table["value"], table["usable"], groups)

    def where(self, mask: Any) -> Rows:
        return Rows(self.raters[mask], self.clips[mask], self.values[mask], self.usable[mask], self.groups)

    def code(self, label: Callable[[Groups], Label]) -> tuple[Keys, list[Label]]:
        """Return each row's group as a number, and the labels of the numbers in alphabetical order."""
        clips, at = np.unique(self.clips, return_inverse=True)
        labels = [label(self.groups[int(clip)]) for clip in clips]
        names = sorted(set(labels))
        numbers = {name: number for number, name in enumerate(names)}
        per_clip = np.array([numbers[name] for name in labels], dtype=np.int64)
        return per_clip[at] if len(clips) else np.zeros(0, dtype=np.int64), names

    @property
    def cells(self) -> Keys:
        """Return each row's voice × dimension as a number."""
        return self.code(lambda clip: (clip.system, clip.voice, clip.dimension))[0]

    def mean(self, scale: Scale) -> Mean | None:
        return stats.mean(self.raters, self.clips, self.values, self.cells, low=scale.low, high=scale.high)


LABELS: dict[str, Callable[[Groups], Label]] = {
    "system": lambda clip: (clip.system,),
    "voice": lambda clip: (clip.voice, clip.system),
    "dimension": lambda clip: (clip.dimension,),
    "box": lambda clip: (clip.box,),
}
# A mean over several systems would move with the share of human recordings, so they are left out of these.
ACROSS_SYSTEMS = {"dimension", "box"}


def tables(rows: Rows, scale: Scale) -> dict[str, list[dict[str, Any]]]:
    """Return, for each way of grouping, one row a group: highest score first, beside it the score without traps."""
    return {by: _table(rows, scale, by) for by in LABELS}


def _table(rows: Rows, scale: Scale, by: str) -> list[dict[str, Any]]:
    if by in ACROSS_SYSTEMS:
        systems, names = rows.code(LABELS["system"])
        humans = [number for number, name in enumerate(names) if name == (HUMAN,)]
        rows = rows.where(~np.isin(systems, humans))
    keys, labels = rows.code(LABELS[by])
    everything = _means(rows, keys, scale)
    used = np.asarray(rows.usable, dtype=bool)
    counted = _means(rows.where(used), keys[used], scale)
    found = [
        {
            "name": labels[key][0],
            "system": labels[key][-1] if by in {"system", "voice"} else "",
            **asdict(result),
            "without_traps": everything[key].mean,
            "without_traps_ratings": everything[key].ratings,
        }
        for key, result in counted.items()
    ]
    return sorted(found, key=lambda row: (-row["mean"], row["name"], row["system"]))


def _means(rows: Rows, keys: Keys, scale: Scale) -> dict[int, Mean]:
    return stats.group(keys, rows.raters, rows.clips, rows.values, rows.cells, low=scale.low, high=scale.high)


def baseline(rows: Rows, traps: Rows, scale: Scale) -> dict[str, Any] | None:
    """Return how human people sound here: from human test clips, else from human traps of every full batch (D2)."""
    systems, names = rows.code(LABELS["system"])
    human = [number for number, name in enumerate(names) if name == (HUMAN,)]
    tests = rows.where(np.isin(systems, human) & np.asarray(rows.usable, dtype=bool)).mean(scale)
    if tests is not None:
        return {"source": "test", **asdict(tests)}
    found = traps.mean(scale)
    return {"source": "traps", **asdict(found)} if found is not None else None
