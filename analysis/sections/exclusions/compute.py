"""Ratings that don't count, and the rules that exclude them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from analysis.sections.exclusions import UNDECIDED, Exclusion, Exclusions, ExclusionStep
from analysis.sections.inputs import AnalysisInput
from analysis.stats.design import Codes, Mask, NotEstimable
from core.text.words import say
from raters.rating.rule_names import LABELS

if TYPE_CHECKING:
    from pandas import DataFrame


def compute(inputs: AnalysisInput) -> Exclusions:
    """Return the test ratings given and counted, and those that each rule excludes, in all and alone."""
    rows = inputs.tried
    if not len(rows):
        raise NotEstimable(say("Nobody has rated a test clip yet."))
    masks = rules_of(rows)
    others = sum((mask.astype(np.int64) for mask in masks.values()), np.zeros(len(rows), dtype=np.int64))
    raters = rows["rater"].to_numpy()
    reasons = [
        Exclusion(
            reason=rule,
            label=LABELS.get(rule, rule.replace("_", " ")),
            ratings=int(mask.sum()),
            raters=len(np.unique(raters[mask])),
            alone=int((mask & (others == 1)).sum()),
        )
        for rule, mask in masks.items()
    ]
    reasons.sort(key=lambda reason: (-reason.ratings, reason.reason))
    usable = rows["usable"].to_numpy()
    return Exclusions(
        given=len(rows),
        counted=int(usable.sum()),
        raters_given=len(np.unique(raters)),
        raters_counted=len(np.unique(raters[usable])),
        reasons=tuple(reasons),
        pending=inputs.facts.pending,
        late=int(rows["late"].to_numpy()[usable].sum()),
        surplus=int(rows["surplus"].to_numpy()[usable].sum()),
        steps=tuple(_steps(reasons, masks, raters)),
    )


def _steps(reasons: Sequence[Exclusion], masks: Mapping[str, Mask], raters: Codes) -> Iterator[ExclusionStep]:
    """Yield the rules in this order, each with what it takes out of the ratings left by those before it."""
    left = np.ones(len(raters), dtype=np.bool_)
    for reason in reasons:
        out = left & masks[reason.reason]
        left &= ~out
        yield ExclusionStep(
            reason=reason.reason,
            label=reason.label,
            out=int(out.sum()),
            ratings=int(left.sum()),
            raters=len(np.unique(raters[left])),
        )


def rules_of(rows: DataFrame) -> dict[str, Mask]:
    """Return {rule: mask of the rows it excludes}, in alphabetical order, then `UNDECIDED` for the rest."""
    usable = rows["usable"].to_numpy()
    levels = rows["reasons"].cat.categories
    codes = rows["reasons"].cat.codes.to_numpy()
    rules = sorted({rule for level in levels for rule in level.split("|") if rule})
    masks: dict[str, Mask] = {}
    for rule in rules:
        holds = np.array([rule in level.split("|") for level in levels], dtype=np.bool_)
        mask = holds[codes] & ~usable
        if mask.any():
            masks[rule] = mask
    rest = ~usable & ~sum(masks.values(), np.zeros(len(rows), dtype=np.bool_))
    if rest.any():
        masks[UNDECIDED] = rest
    return masks
