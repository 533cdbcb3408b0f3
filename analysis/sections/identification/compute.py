"""Shares of right answers and d′ of answers on copies (ABX, rule D14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.sections.identification import Identification, SystemCopies
from analysis.sections.inputs import AnalysisInput, coded, texts
from analysis.stats.design import NotEstimable
from analysis.stats.preferences import discrimination
from core.text.words import say

if TYPE_CHECKING:
    from pandas import DataFrame


def compute(inputs: AnalysisInput) -> Identification:
    """Analyse the answers that count, by system."""
    rows = inputs.tests
    if not len(rows):
        raise NotEstimable(say("No rating counts yet: a batch counts once it is full and its checks are passed."))
    return of(rows)


def of(rows: DataFrame) -> Identification:
    """Analyse rows of `frame.scores` with scores 1 (right) and 0."""
    codes, labels = coded(rows, ("system", "kind"))
    systems = (_copies(name, rows[codes == at]) for at, (name, _kind) in enumerate(labels))
    return Identification(systems=tuple(sorted(systems, key=lambda each: -each.share)))


def _copies(name: str, rows: DataFrame) -> SystemCopies:
    found = discrimination.abx(rows["rater"].to_numpy(), texts(rows), rows["score"].to_numpy())
    return SystemCopies(
        name=name,
        right=found.right,
        answers=found.answers,
        share=found.share.mean,
        low=found.share.low,
        high=found.share.high,
        p=found.p,
        d_prime=found.d_prime,
        d_low=found.low,
        d_high=found.high,
        raters=found.share.raters,
        note=found.share.note,
    )
