"""Shares of right answers and d′ of answers on copies (ABX), and of same–different (rule D14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.data.frame import counted
from analysis.sections.identification import Identification, SystemCopies, SystemPairs
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
    if inputs.scale.about == "differences":
        [identical] = [counted(table) for table in inputs.outcomes.values()]
        return of_pairs(rows, identical)
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


def of_pairs(different: DataFrame, identical: DataFrame) -> Identification:
    """Analyse rows of `frame.scores` on pairs that were different, and on identical ones; score 1 is "different".

    The identical pairs of a system are those of the items in which it met the baseline: of its clip or the baseline's.
    """
    codes, labels = coded(different, ("system", "kind"))
    systems = [
        (name, rows, identical[identical["item"].isin(rows["item"]).to_numpy()])
        for at, (name, _kind) in enumerate(labels)
        for rows in [different[codes == at]]
    ]
    pairs = [_pairs(name, rows, same) for name, rows, same in systems if len(same)]
    return Identification(pairs=tuple(sorted(pairs, key=lambda each: -each.d_prime)))


def _pairs(name: str, different: DataFrame, identical: DataFrame) -> SystemPairs:
    both = [different, identical]
    rater, said, item = (
        np.concatenate([rows[column].to_numpy() for rows in both]) for column in ("rater", "score", "item")
    )
    is_different = np.arange(len(rater)) < len(different)
    found = discrimination.same_different(rater, item, is_different, said)
    assert found is not None, "both kinds of pairs have rows"
    return SystemPairs(
        name=name,
        different=len(different),
        identical=len(identical),
        hits=found.hits.mean,
        false_alarms=found.false_alarms.mean,
        gap=found.gap,
        low=found.gap_low,
        high=found.gap_high,
        d_prime=found.d_prime,
        raters=len(np.unique(rater)),
        note="" if found.gap_low is not None else found.hits.note or found.false_alarms.note,
    )
