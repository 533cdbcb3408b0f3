"""All minimum requirements of data (rule D12): every engine that prints an interval checks them here first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from analysis.stats.design import Codes, Design
from core.text.words import say

# Below these there is a point estimate and no interval (rule D4); models, interim analyses and alpha need more raters.
MIN_RATERS, MODEL_RATERS = 5, 10
MIN_TEXTS = 5
# The interval of alpha needs this many texts of units with two ratings (rule D12).
ALPHA_TEXTS = 10
# If one rater or text has a larger share of the ratings, there is nothing to compare it with (rule D1).
MOST_SHARE = 0.8
# The scope of an interval that accounts only for raters.
THESE_CLIPS = say("Clips are not known: for these clips only.")
# The number in the sentence is LEAST_TEXTS.
THESE_TEXTS = say("Systems share fewer than 5 texts, so only raters are counted: for these texts only.")


class Reason(StrEnum):
    """Why no interval or posterior may be shown."""

    FEW = "too few raters or texts"
    ONE = "one rater or text has nearly all ratings"
    SAME = "fewer than two different answers"
    SEPARATED = "perfect separation"
    TEXTS = "too few shared texts"
    APART = "systems never compared"


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
FEW_TEXTS = Refusal(
    Reason.TEXTS,
    say(
        "Systems share fewer than 5 texts, too few for a model of what was heard: the model without clips stands, for "
        "these texts only."
    ),
)


def too_few(raters: int, texts: int | None, *, least_raters: int = MIN_RATERS) -> Refusal | None:
    """Refuse below `least_raters` raters, or below 5 texts; `texts` is None if they are not counted."""
    if raters < least_raters:
        sentence = say("Too few raters: {raters}, and at least {least} are needed.", raters=raters, least=least_raters)
        return Refusal(Reason.FEW, sentence)
    if texts is not None and texts < MIN_TEXTS:
        sentence = say("Too few texts: {texts}, and at least {least} are needed.", texts=texts, least=MIN_TEXTS)
        return Refusal(Reason.FEW, sentence)
    return None


def of_shares(by_rater: float, by_text: float = 0.0) -> Refusal | None:
    """Refuse an interval if one rater, or one text, has nearly all ratings; shares from 0 to 1 (rule D1)."""
    if by_rater > MOST_SHARE:
        return Refusal(
            Reason.ONE,
            say("One rater gave {share} % of the ratings, too many for an interval.", share=_percent(by_rater)),
        )
    if by_text > MOST_SHARE:
        return Refusal(
            Reason.ONE, say("One text has {share} % of the ratings, too many for an interval.", share=_percent(by_text))
        )
    return None


def of_alpha(raters: int, texts: int) -> Refusal | None:
    """Refuse the interval of an alpha below 10 raters, or below 10 texts of clips with two ratings (rule D12)."""
    if few := too_few(raters, None, least_raters=MODEL_RATERS):
        return few
    if texts >= ALPHA_TEXTS:
        return None
    sentence = say(
        "Too few texts of clips with two ratings: {texts}, and at least {least} are needed.",
        texts=texts,
        least=ALPHA_TEXTS,
    )
    return Refusal(Reason.FEW, sentence)


def few_raters(raters: int) -> str:
    """Return the note for an interval of 5 to 9 raters; empty from 10 on (rule D4)."""
    return say("Few raters: {raters}.", raters=raters) if raters < MODEL_RATERS else ""


def of_systems(design: Design) -> dict[int, Refusal]:
    """Return {system: why models leave it out}, for systems with too little data."""
    by_system: dict[int, Refusal] = {}
    for system in range(design.systems):
        if few := _too_few_of(design, system):
            by_system[system] = few
        elif not np.ptp(design.score[design.system == system]):
            by_system[system] = SAME_OF_SYSTEM
    return by_system


def of_contrast(design: Design, systems: tuple[int, int]) -> Refusal | None:
    """Return why an interim analysis can't test the difference of two systems."""
    few = (_too_few_of(design, system) for system in systems)
    return next(filter(None, few), None) or of_design(design.where(np.isin(design.system, systems)))


def _too_few_of(design: Design, system: int) -> Refusal | None:
    mine = design.system == system
    # If systems share too few texts, clips are counted, and the result holds for these texts only.
    material = design.clip if design.has_few_texts else design.pieces
    texts = None if material is None else len(np.unique(material[mine]))
    return too_few(len(np.unique(design.rater[mine])), texts, least_raters=MODEL_RATERS)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def of_design(design: Design, *, with_clips: bool = False) -> Refusal | None:
    """Return why no model may be fitted: all answers are the same, or a term of the model determines them.

    If each rater (per system; with `with_clips`, per clip or text) always gives the same answer, nothing is left to
    estimate chance from.
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
