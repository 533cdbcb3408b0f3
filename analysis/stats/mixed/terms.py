"""The random effects that the ratings can separate, and the SDs that may be printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analysis.stats.design import Codes, Design
from core.text.words import say

RATER, SLOPE, CLIP, TEXT = "rater", "rater:system", "clip", "text"
# Names in sentences; rater:system is written as in formulas.
NAMES = {RATER: say("rater"), CLIP: say("clip"), TEXT: say("text")}
# With fewer repeated cells, the variance of rater:system is too uncertain (rule D6).
LEAST_CELLS = 30


@dataclass(frozen=True, slots=True)
class Terms:
    """The estimable terms, why the others were left out ({term: sentence}), and why an SD is not printed."""

    kept: tuple[str, ...]
    dropped: dict[str, str]
    refused: dict[str, str]


def choose(design: Design, wanted: tuple[str, ...], *, least_cells: int = LEAST_CELLS) -> Terms:
    """Keep those `wanted` random intercepts that aren't confounded with the residual, the systems or an earlier term.

    The SD of rater:system is refused if fewer than `least_cells` cells have two ratings or more.
    """
    groups = {RATER: design.rater, SLOPE: design.cell, CLIP: design.clip, TEXT: design.text}
    terms: list[str] = []
    dropped: dict[str, str] = {}
    for term in wanted:
        codes = groups[term]
        reason = _mimicked(design, term, codes, {name: groups[name] for name in terms})
        if reason:
            dropped[term] = reason
        else:
            terms.append(term)
    refused: dict[str, str] = {}
    repeated = int((np.bincount(design.cell) > 1).sum())
    if SLOPE in terms and repeated < least_cells:
        refused[SLOPE] = say(
            "Only {n} combinations of a rater and a system hold two ratings or more; {least} are needed to print how "
            "much raters differ in their liking of single systems.",
            n=repeated,
            least=least_cells,
        )
    return Terms(tuple(terms), dropped, refused)


def _mimicked(design: Design, term: str, codes: Codes | None, earlier: Mapping[str, Codes | None]) -> str:
    called = NAMES.get(term, term)
    if codes is None:
        return say("The ratings don't say which {term} they belong to.", term=called)
    levels = int(codes.max()) + 1
    if levels == 1:
        return say("There is only one {term}.", term=called)
    if levels == len(codes):
        return say("Each {term} has a single rating, so its effect can't be told from chance.", term=called)
    if _determined(codes, by=design.system):
        return say("Each system has a single {term}, so its effect can't be told from the system's.", term=called)
    for name, other in earlier.items():
        if other is not None and other.max() == codes.max() and _determined(codes, by=other):
            return say(
                "Each {other} has a single {term}, so their effects can't be told apart.",
                other=NAMES.get(name, name),
                term=called,
            )
    return ""


def _determined(codes: Codes, *, by: Codes) -> bool:
    last = np.zeros(int(by.max()) + 1, dtype=np.int64)
    last[by] = codes
    return bool((last[by] == codes).all())
