"""The one list of what is too little to say (rule D12): every engine that prints an interval asks here first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from analysis.stats.design import LEAST_TEXTS, Codes, Design

# Below these there is a point estimate and no interval (rule D4).
MIN_RATERS = 10
MIN_CLIPS = 5
# What an interval holds for where it counts raters alone.
THESE_CLIPS = "Clips are not known: for these clips only."
THESE_TEXTS = f"Systems share fewer than {LEAST_TEXTS} texts, so only raters are counted: for these texts only."


class Reason(StrEnum):
    """Why no interval and no posterior may be shown."""

    FEW = "too few raters or clips"
    SAME = "fewer than two different answers"
    SEPARATED = "perfect separation"
    TEXTS = "too few shared texts"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason, and the sentence that pages, reports and files show."""

    reason: Reason
    sentence: str

    def __str__(self) -> str:
        return self.sentence


SAME = Refusal(Reason.SAME, "Every answer is the same, so there is nothing to tell systems apart by.")
SAME_OF_SYSTEM = Refusal(Reason.SAME, "Every answer about it is the same, so how sure its score is can't be modelled.")
SEPARATED_KINDS = Refusal(
    Reason.SEPARATED,
    "Every answer about human speech is higher than every other one, or lower: how sure that is can't be estimated.",
)
FEW_TEXTS = Refusal(
    Reason.TEXTS,
    f"Systems share fewer than {LEAST_TEXTS} texts, too few for a model of what was heard: the model without clips "
    "stands, for these texts only.",
)


def too_few(raters: int, clips: int | None) -> Refusal | None:
    """Refuse an interval below 10 raters or 5 clips; `clips` is None where they are not known."""
    if raters >= MIN_RATERS and (clips is None or clips >= MIN_CLIPS):
        return None
    sentence = f"{raters} raters and {clips or 0} clips are too few: an interval needs {MIN_RATERS} and {MIN_CLIPS}."
    return Refusal(Reason.FEW, sentence)


def of_systems(design: Design) -> dict[int, Refusal]:
    """Return {system: why no model may speak of it}, for those that have too little."""
    found: dict[int, Refusal] = {}
    for system in range(design.systems):
        mine = design.system == system
        clips = None if design.clip is None else len(np.unique(design.clip[mine]))
        few = too_few(len(np.unique(design.rater[mine])), clips)
        if few:
            found[system] = few
        elif not np.ptp(design.score[mine]):
            found[system] = SAME_OF_SYSTEM
    return found


def of_design(design: Design, *, with_clips: bool = False) -> Refusal | None:
    """Return why no model may be fitted at all: one answer only, or one that something in the model decides.

    Where all answers of one rater (about one system; about one clip or text, `with_clips`) are the same, nothing is
    left to estimate chance by.
    """
    if not np.ptp(design.score):
        return SAME
    for name, codes in _deciding(design, with_clips):
        if int(codes.max()) + 1 < len(codes) and _decides(codes, design):
            return Refusal(Reason.SEPARATED, f"The answers separate perfectly: {name}, so nothing is left to chance.")
    return None


def _deciding(design: Design, with_clips: bool) -> Iterator[tuple[str, Codes]]:
    yield "each system got one same answer", design.system
    yield "each rater gave one same answer", design.rater
    yield "each rater gave each system one same answer", design.cell
    if with_clips and design.clip is not None:
        yield "each clip got one same answer", design.clip


def _decides(codes: Codes, design: Design) -> bool:
    last = np.zeros(int(codes.max()) + 1)
    last[codes] = design.score
    return bool((last[codes] == design.score).all())
