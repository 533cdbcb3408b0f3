"""Best–worst scores, mean ranks and strengths from answers about sets of clips (rule D14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.sections.inputs import AnalysisInput, texts
from analysis.sections.preferences.compute import records
from analysis.sections.sets import SetResults, SystemCounts, SystemRank
from analysis.stats.design import NotEstimable
from analysis.stats.preferences import best_worst, rankings
from core.text.words import say

if TYPE_CHECKING:
    from pandas import DataFrame

    from studies.task_types.base import Sets


def compute(inputs: AnalysisInput) -> SetResults:
    """Compare the systems by all answers that count."""
    rows = inputs.tests
    if not len(rows):
        raise NotEstimable(say("No rating counts yet: a batch counts once it is full and its checks are passed."))
    return of(rows, inputs.kind.sets, inputs.rng("sets"))


def of(rows: DataFrame, sets: Sets, rng: np.random.Generator) -> SetResults:
    """Compare systems by rows of `frame.scores` whose scores are those of the task type; `rng` halves the answers."""
    rows = rows.assign(text=texts(rows)).sort_values(["trial", "score"], ascending=[True, False], kind="stable")
    answers = [part for _trial, part in rows.groupby("trial", sort=True)]
    raters, spoken = ([part[name].iloc[0] for part in answers] for name in ("rater", "text"))
    shown = [part["system"].astype(str).tolist() for part in answers]
    sizes = tuple(sorted({len(systems) for systems in shown}))
    if sets == "ranking":
        return _ranks(rankings.rank(raters, spoken, shown), sizes)
    best, worst = [systems[0] for systems in shown], [systems[-1] for systems in shown]
    return _counts(best_worst.BestWorstAnswers.of(raters, spoken, shown, best, worst), sizes, rng)


def _ranks(found: rankings.Rankings, sizes: tuple[int, ...]) -> SetResults:
    systems, probabilities = records(found.names, found.model.strengths)
    ranks = (
        SystemRank(
            name=found.names[each.system],
            shown=each.rank.ratings,
            rank=each.rank.mean,
            low=each.rank.low,
            high=each.rank.high,
            note=each.rank.note,
        )
        for each in sorted(found.ranks, key=lambda each: each.rank.mean)
    )
    return SetResults(
        ranks=tuple(ranks),
        sizes=sizes,
        systems=systems,
        probabilities=probabilities,
        refused=str(found.model.problem.refusal) if found.model.problem else "",
    )


def _counts(answers: best_worst.BestWorstAnswers, sizes: tuple[int, ...], rng: np.random.Generator) -> SetResults:
    found = best_worst.analyse(answers)
    systems, probabilities = records(found.names, found.model.strengths)
    counts = (
        SystemCounts(
            name=found.names[each.system],
            shown=each.shown,
            best=each.best,
            worst=each.worst,
            score=each.score.mean,
            low=each.score.low,
            high=each.score.high,
            note=each.score.note,
        )
        for each in sorted(found.counts, key=lambda each: -each.score.mean)
    )
    halves, halves_refused = None, ""
    try:
        halves = best_worst.split_half(answers, rng)
    except NotEstimable as error:
        halves_refused = str(error)
    return SetResults(
        counts=tuple(counts),
        sizes=sizes,
        systems=systems,
        probabilities=probabilities,
        halves=halves,
        halves_refused=halves_refused,
        refused=str(found.model.problem.refusal) if found.model.problem else "",
    )
