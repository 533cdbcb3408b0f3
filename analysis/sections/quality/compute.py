"""Traps, golden questions, and drift of scores and times over a session."""

from __future__ import annotations

import numpy as np

from analysis.sections.inputs import AnalysisInput, design_of
from analysis.sections.mixed_models import Coefficient
from analysis.sections.mixed_models.fitted import judged
from analysis.sections.quality import Drift, Quality, Trap
from analysis.stats.design import NotEstimable
from analysis.stats.mixed import reml
from core.text.words import say

# The number of parts of a session; shorter ones are split by position.
PARTS = 10
LABELS = {
    "trap_flawed": say("flawed traps called Machine"),
    "trap_human": say("human traps called Human"),
    "golden": say("golden questions answered correctly"),
}
# Where answers are points of a scale.
ON_SCALES = {
    "trap_flawed": say("flawed traps answered correctly"),
    "trap_human": say("human traps answered correctly"),
}
# Where two clips are compared.
OF_PAIRS = {
    "trap_flawed": say("flawed clips not preferred"),
    "trap_human": say("identical clips without a preference"),
}


def compute(inputs: AnalysisInput) -> Quality:
    """Return the results of checks, and score and time by position in the session."""
    is_named = "machine" in inputs.kind.score.codes
    labels = LABELS | (OF_PAIRS if inputs.kind.shows == "pair" else {} if is_named else ON_SCALES)
    traps = [
        Trap(
            key=trap.key,
            label=labels.get(trap.key, trap.key),
            asked=trap.asked,
            right=trap.right,
            share=trap.right / trap.asked,
        )
        for trap in inputs.facts.traps
        if trap.asked
    ]
    notes: list[str] = []
    slope = None
    if inputs.sides is None:
        try:
            slope = _slope(inputs)
        except NotEstimable as error:
            notes.append(say("Change of score over the session: {why}", why=str(error)))
    batches = inputs.facts.batches
    return Quality(
        traps=tuple(traps),
        batches_valid=batches["valid"],
        batches_decided=batches["valid"] + batches["invalid"],
        guesser=inputs.facts.guesser,
        drift=tuple(_drift(inputs)),
        slope=slope,
        notes=tuple(notes),
        # Only if present: analyses without them must not change by a byte.
        **inputs.facts.experts,
    )


def _drift(inputs: AnalysisInput) -> list[Drift]:
    rows = inputs.tests
    if not len(rows) or inputs.sides is not None:
        return []
    position = rows["position"].to_numpy()
    last = int(position.max())
    edges = np.unique(np.linspace(0, last, min(last, PARTS) + 1).round().astype(np.int64))
    parts: list[Drift] = []
    for first, end in zip(edges[:-1] + 1, edges[1:], strict=True):
        part = rows[(position >= first) & (position <= end)]
        if not len(part):
            continue
        seconds = part["response_seconds"].to_numpy()
        known = seconds[~np.isnan(seconds)]
        parts.append(
            Drift(
                first=int(first),
                last=int(end),
                ratings=len(part),
                score=float(part["score"].mean()),
                response=float(np.median(known)) if len(known) else None,
            )
        )
    return parts


def _slope(inputs: AnalysisInput) -> Coefficient:
    """Return the change of score per position, adjusted for systems, raters and rater:system."""
    rows = inputs.compared
    if not len(rows):
        raise NotEstimable(say("No rating counts yet."))
    position = rows["position"].to_numpy().astype(np.float64)
    if not np.ptp(position):
        raise NotEstimable(say("All ratings stand at the same place of a session."))
    design, names = design_of(rows, position)
    if design.raters == 1:
        raise NotEstimable(say("All ratings are one rater's."))
    fit = reml.fit(judged(design, names).design)
    low, high = fit.intervals()[-1]
    return Coefficient(
        name="position in the session",
        kind="",
        mean=float(fit.coefficients[-1]),
        error=float(fit.errors[-1]),
        df=float(fit.df[-1]),
        low=float(low),
        high=float(high),
    )
