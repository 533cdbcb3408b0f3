"""Shares and strengths from answers on pairs of systems (rule D14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from analysis.data.frame import counted
from analysis.sections.inputs import AnalysisInput, texts
from analysis.sections.preferences import (
    FirstHeard,
    PairShare,
    Preferences,
    QuestionPreferences,
)
from analysis.stats.design import NotEstimable
from analysis.stats.figures import PairProbability, SystemStrength
from analysis.stats.preferences import answers, paired
from core.text.words import say

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.stats.preferences.strengths import Strengths


def compute(inputs: AnalysisInput) -> Preferences:
    """Compare the systems by all answers that count."""
    rows = inputs.tests
    if not len(rows):
        raise NotEstimable(say("No rating counts yet: a batch counts once it is full and its checks are passed."))
    middle = (inputs.scale.low + inputs.scale.high) / 2
    names = {scale.part: scale.name for scale in inputs.kind.outcomes}
    tables = {part: counted(table) for part, table in inputs.outcomes.items()}
    questions = (
        QuestionPreferences(part=part, question=names[part], **dict(of(table, middle=middle)))
        for part, table in tables.items()
        if len(table)
    )
    return of(rows, middle=middle).model_copy(update={"questions": tuple(questions)})


def of(rows: DataFrame, *, middle: float) -> Preferences:
    """Compare systems by rows of `frame.scores` with `OF_PAIR`; a score above `middle` prefers the row's system."""
    found = paired.compare(_table(rows, middle))
    systems, probabilities = records(found.names, found.strengths)
    return Preferences(
        pairs=tuple(_share(found.names, pair) for pair in found.shares),
        systems=systems,
        probabilities=probabilities,
        first_heard=FirstHeard(
            probability=found.order.probability, low=found.order.probability_low, high=found.order.probability_high,
            p=found.order.p,
        )
        if found.order
        else None,
        tie=found.tie.probability if found.tie else None,
        refused=str(found.problem.refusal) if found.problem else "",
    )  # fmt: skip


def records(
    names: Sequence[str], strengths: Strengths | None
) -> tuple[tuple[SystemStrength[str], ...], tuple[PairProbability[str], ...]]:
    """Return the systems, strongest first, and all their pairs; both empty without strengths."""
    if strengths is None:
        return (), ()
    systems = (
        SystemStrength(**asdict(each) | {"name": names[each.name]})
        for each in sorted(strengths.systems, key=lambda each: -each.value)
    )
    pairs = (
        PairProbability(**asdict(each) | {"first": names[each.first], "second": names[each.second]})
        for each in strengths.pairs
    )
    return tuple(systems), tuple(pairs)


def _table(rows: DataFrame, middle: float) -> answers.Preferences:
    """Return the answers in the order in which the clips were shown."""
    system, against = (rows[name].astype(str).to_numpy() for name in ("system", "against"))
    is_first, score = rows["is_first"].to_numpy(), rows["score"].to_numpy()
    is_for_first = (score > middle) == is_first
    return answers.Preferences.of(
        rows["rater"].to_numpy(),
        texts(rows),
        np.where(is_first, system, against),
        np.where(is_first, against, system),
        np.where(score == middle, "tie", np.where(is_for_first, "first", "second")),
    )


def _share(names: tuple[str, ...], pair: answers.WinShare) -> PairShare:
    share = pair.share
    return PairShare(
        first=names[pair.first],
        second=names[pair.second],
        wins=pair.wins,
        losses=pair.losses,
        ties=pair.ties,
        share=share.mean if share else None,
        low=share.low if share else None,
        high=share.high if share else None,
        note=share.note if share else "",
    )
