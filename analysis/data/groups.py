"""How results are grouped, and the name under which a clip's system is reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats import design
from studies.clips.tables import Groups

HUMAN, ANCHOR = "human", "anchor"
Keys = NDArray[np.int64]
# A name, then what distinguishes groups of the same name.
Label = tuple[str, ...]


def kind(clip: Groups) -> str:
    """Return "human" for human speech, "anchor" for an anchor made of it, or "" for a system's clip."""
    if clip.role == ANCHOR:
        return ANCHOR
    return HUMAN if clip.role == "reference" or clip.system == HUMAN else ""


def system(clip: Groups) -> str:
    """Return the clip's system; a hidden reference is human, regardless of its name in the manifest."""
    return HUMAN if kind(clip) == HUMAN else clip.system


def is_seen(clip: Groups) -> bool:
    """True if the clip's system was trained on its benchmark; people and anchors never were."""
    return clip.seen == "yes" and not kind(clip)


LABELS: dict[str, Callable[[Groups], Label]] = {
    "system": lambda clip: (system(clip), kind(clip)),
    "voice": lambda clip: (clip.voice, kind(clip), system(clip)),
    "dimension": lambda clip: (clip.dimension, ""),
    "benchmark": lambda clip: (clip.benchmark, ""),
    "condition": lambda clip: (clip.condition, ""),
    "domain": lambda clip: (clip.domain or kind(clip), kind(clip)),
    "box": lambda clip: (clip.box, ""),
    "overall": lambda clip: ("", kind(clip)),
}
# A mean over several systems would depend on the share of human recordings and anchors, so these exclude both.
ACROSS_SYSTEMS = {"dimension", "benchmark", "condition", "box"}


def counts_in(by: str, clip: Groups) -> bool:
    """True if a clip is in any group of this kind."""
    return not kind(clip) if by in ACROSS_SYSTEMS else by == "system" or kind(clip) != ANCHOR


class ClipTable:
    """The clips of a study in order of their keys, with their groups; each grouping is computed once.

    Columns of ratings refer to clips by their index here.
    """

    def __init__(self, groups: Mapping[int, Groups]) -> None:
        self.keys = np.array(sorted(groups), dtype=np.int64)
        self.clips = [groups[key] for key in self.keys.tolist()]
        self.known: dict[Callable[..., Any], Any] = {}

    def places(self, clips: Keys) -> Keys:
        """Return the indices of clips by their keys."""
        return np.searchsorted(self.keys, clips)

    def column(self, of: Callable[[Groups], Any]) -> NDArray[Any]:
        """Return `of(clip)` for each clip."""
        if of not in self.known:
            self.known[of] = np.array([of(clip) for clip in self.clips])
        column: NDArray[Any] = self.known[of]
        return column

    def coded(self, places: Keys, label: Callable[[Groups], Label]) -> tuple[Keys, list[Label]]:
        """Return the group of each element of `places` (n,) as a number, and the labels of the numbers in order."""
        if label not in self.known:
            labels = [label(clip) for clip in self.clips]
            names = sorted(set(labels))
            numbers = {name: number for number, name in enumerate(names)}
            self.known[label] = np.array([numbers[name] for name in labels], dtype=np.int64), names
        each, names = self.known[label]
        present, codes = design.coded(each[places])
        return codes, [names[number] for number in present.tolist()]


def is_named(labels: list[Label]) -> bool:
    """True if a grouping is worth showing: some group of systems has a name."""
    return any(name and part != HUMAN for name, part, *_ in labels)
