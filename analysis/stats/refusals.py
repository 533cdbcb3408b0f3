"""The one list of what is too little to say (rule D12): every engine that prints an interval asks here first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from analysis.stats.design import Codes, Design
from core.text.words import say

# Below these there is a point estimate and no interval (rule D4).
MIN_RATERS = 10
MIN_CLIPS = 5
# What an interval holds for where it counts raters alone.
THESE_CLIPS = say("Clips are not known: for these clips only.")
# The number is LEAST_TEXTS.
THESE_TEXTS = say("Systems share fewer than 5 texts, so only raters are counted: for these texts only.")


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


SAME = Refusal(Reason.SAME, say("Every answer is the same, so there is nothing to tell systems apart by."))
SAME_OF_SYSTEM = Refusal(
    Reason.SAME, say("Every answer about it is the same, so how sure its score is can't be modelled.")
)
SEPARATED_KINDS = Refusal(
    Reason.SEPARATED,
    say(
        "Every answer about human speech is higher than every other one, or lower: how sure that is can't be estimated."
    ),
)
FEW_TEXTS = Refusal(
    Reason.TEXTS,
    say(
        "Systems share fewer than 5 texts, too few for a model of what was heard: the model without clips stands, for "
        "these texts only."
    ),
)


def too_few(raters: int, clips: int | None) -> Refusal | None:
    """Refuse an interval below 10 raters or 5 clips; `clips` is None where they are not known."""
    if raters >= MIN_RATERS and (clips is None or clips >= MIN_CLIPS):
        return None
    sentence = say(
        "Too few raters ({raters}) or clips ({clips}): an interval needs at least {least_raters} and {least_clips}.",
        raters=raters,
        clips=clips or 0,
        least_raters=MIN_RATERS,
        least_clips=MIN_CLIPS,
    )
    return Refusal(Reason.FEW, sentence)


def of_systems(design: Design) -> dict[int, Refusal]:
    """Return {system: why models leave it out}, for systems with too little data."""
    by_system: dict[int, Refusal] = {}
    for system in range(design.systems):
        mine = design.system == system
        clips = None if design.clip is None else len(np.unique(design.clip[mine]))
        few = too_few(len(np.unique(design.rater[mine])), clips)
        if few:
            by_system[system] = few
        elif not np.ptp(design.score[mine]):
            by_system[system] = SAME_OF_SYSTEM
    return by_system


def of_design(design: Design, *, with_clips: bool = False) -> Refusal | None:
    """Return why no model may be fitted at all: one answer only, or one that something in the model decides.

    Where all answers of one rater (about one system; about one clip or text, `with_clips`) are the same, nothing is
    left to estimate chance by.
    """
    if not np.ptp(design.score):
        return SAME
    for sentence, codes in _deciding(design, with_clips):
        if int(codes.max()) + 1 < len(codes) and _decides(codes, design):
            return Refusal(Reason.SEPARATED, sentence)
    return None


def _deciding(design: Design, with_clips: bool) -> Iterator[tuple[str, Codes]]:
    yield (
        say("The answers separate perfectly: each system got one same answer, so nothing is left to chance."),
        design.system,
    )
    yield (
        say("The answers separate perfectly: each rater gave one same answer, so nothing is left to chance."),
        design.rater,
    )
    yield (
        say(
            "The answers separate perfectly: each rater gave each system one same answer, so nothing is left to chance."
        ),
        design.cell,
    )
    if with_clips and design.clip is not None:
        yield (
            say("The answers separate perfectly: each clip got one same answer, so nothing is left to chance."),
            design.clip,
        )


def _decides(codes: Codes, design: Design) -> bool:
    last = np.zeros(int(codes.max()) + 1)
    last[codes] = design.score
    return bool((last[codes] == design.score).all())
