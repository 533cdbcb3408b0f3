"""Means of every scale, and how the scales go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from analysis.data import frame
from analysis.sections.inputs import AnalysisInput, design_of, systems_of
from analysis.sections.scales import AlikeScales, ChoiceShares, ScaleMeans, ScalePair, Scales, SystemMean
from analysis.stats import intervals
from analysis.stats.design import NotEstimable
from analysis.stats.scales import within_raters
from analysis.stats.twoway import means
from core.text.words import say
from studies.task_types.base import CodeBreakdown, ScoreScale

if TYPE_CHECKING:
    from pandas import DataFrame, Series

# Together, the key of an answer: in separate passes, a rater's scales for a clip come from several trials.
ANSWER = ["rater", "item"]


def compute(inputs: AnalysisInput) -> Scales:
    """Compare the scales by all answers that count."""
    if not len(inputs.tests):
        raise NotEstimable(say("No rating counts yet: a batch counts once it is full and its checks are passed."))
    tables = {part: frame.counted(table) for part, table in inputs.outcomes.items()}
    scales = of(inputs.kind.outcomes, {**tables, inputs.kind.score.part: inputs.tests})
    shares = tuple(shares_of(choices, tables[choices.part], inputs.tests) for choices in inputs.kind.several)
    return scales.model_copy(update={"shares": shares})


def of(scales: Sequence[ScoreScale], tables: Mapping[str, DataFrame]) -> Scales:
    """Compare scales by the rows of `frame.scores` that count, by part."""
    rated = [scale for scale in scales if len(tables[scale.part])]
    # On a screen of several clips, scales have no common answers.
    is_single = not any(tables[scale.part]["trial"].duplicated().any() for scale in rated)
    wide = _wide({scale.part: tables[scale.part] for scale in rated})
    return Scales(
        means=tuple(_means(scale, tables[scale.part]) for scale in rated),
        pairs=tuple(pair for each in combinations(rated, 2) if is_single and (pair := _pair(*each, wide)).answers),
        alike=tuple(_alike(group, wide) for group in _groups(rated)),
    )


def shares_of(choices: CodeBreakdown, chosen: DataFrame, answers: DataFrame) -> ChoiceShares:
    """Return how often each choice was made, of all `answers`; `chosen` has a row for each choice made."""
    return ChoiceShares(
        part=choices.part,
        name=choices.title,
        choices=tuple(
            _means(ScoreScale(label, 0.0, 1.0, "%", code), _with_choice(answers, chosen, code))
            for code, label in choices.labels.items()
        ),
    )


def _with_choice(answers: DataFrame, chosen: DataFrame, code: str) -> DataFrame:
    """Return the answers with the score 1 where this choice was made, and else 0."""
    made = chosen[(chosen["code"] == code).to_numpy()].set_index(ANSWER).index
    return answers.assign(score=answers.set_index(ANSWER).index.isin(made).astype(float))


def _means(scale: ScoreScale, rows: DataFrame) -> ScaleMeans:
    design, names = design_of(rows)
    codes, _names = systems_of(rows)
    of_systems = intervals.intervals(means(design, codes), low=scale.low, high=scale.high)
    systems = [
        SystemMean(
            name=name,
            kind=kind,
            mean=each.mean,
            low=each.low,
            high=each.high,
            sd=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
            ratings=each.ratings,
            raters=each.raters,
            clips=int(rows["clip"][codes == code].nunique()),
            note=each.note,
            pooled=_pooled(rows["code"][codes == code]) if _is_rate(scale) else None,
        )
        for code, ((name, kind), each) in enumerate(zip(names, of_systems, strict=True))
        for values in [rows["score"].to_numpy()[codes == code]]
    ]
    return ScaleMeans(
        part=scale.part,
        name=scale.name,
        low=scale.low,
        high=scale.high,
        unit=scale.unit,
        systems=tuple(sorted(systems, key=lambda each: (-scale.sign * each.mean, each.name))),
        notes=scale.notes,
    )


def _is_rate(scale: ScoreScale) -> bool:
    """True for error rates, whose codes are fractions."""
    return scale.about == "errors" and not scale.codes


def _pooled(codes: Series[str]) -> float:
    """Return all errors over the length of all texts, from codes such as 2/7; texts without words count as 1."""
    errors, lengths = np.array([list(map(int, code.split("/"))) for code in codes]).sum(axis=0)
    return float(errors) / max(float(lengths), 1.0)


def _wide(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return a row for each answer, with its rater and a column for each part; NaN if a part has no number."""
    import pandas as pd

    columns = {part: table.drop_duplicates(ANSWER).set_index(ANSWER)["score"] for part, table in tables.items()}
    answers = pd.concat([table[ANSWER] for table in tables.values()]).drop_duplicates()
    return answers.set_index(ANSWER, drop=False).assign(**columns).reset_index(drop=True)


def _pair(first: ScoreScale, second: ScoreScale, wide: DataFrame) -> ScalePair:
    rows = wide[["rater", first.part, second.part]].dropna()
    correlation = within_raters(
        rows[first.part].to_numpy(), rows[second.part].to_numpy(), rows["rater"].to_numpy().astype(np.int64)
    )
    return ScalePair(first=first.name, second=second.name, correlation=correlation, answers=len(rows))


def _groups(scales: Sequence[ScoreScale]) -> list[list[ScoreScale]]:
    """Return the scales that have the same points, where there are several; error rates have none."""
    groups: dict[tuple[object, ...], list[ScoreScale]] = {}
    for scale in scales:
        if _is_rate(scale):
            continue
        groups.setdefault((scale.low, scale.high, tuple(sorted(scale.codes))), []).append(scale)
    return [group for group in groups.values() if len(group) > 1]


def _alike(scales: Sequence[ScoreScale], wide: DataFrame) -> AlikeScales:
    rows = wide[[scale.part for scale in scales]].dropna()
    alike = int((rows.nunique(axis=1) == 1).sum())
    return AlikeScales(scales=tuple(scale.name for scale in scales), alike=alike, answers=len(rows))
