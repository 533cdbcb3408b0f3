"""Sign flips, Wilcoxon, equivalence and effect sizes of all pairs of systems (rule D7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analysis.sections.contrasts.compute import Compared, compared
from analysis.sections.inputs import AnalysisInput, design_of
from analysis.sections.pair_tests import ByText, PairTest, PairTests, TextDifference
from analysis.stats import pair_tests
from analysis.stats.design import Design, Floats
from analysis.stats.intervals import difference, differences, pair
from analysis.stats.pair_tests import PValue
from analysis.stats.twoway import means
from studies.rules import stopping

if TYPE_CHECKING:
    from pandas import DataFrame


def compute(inputs: AnalysisInput) -> PairTests:
    """Return the tests of the pairs that the comparisons have."""
    systems = inputs.once(compared)
    design = _design(inputs, systems)
    at = [(each.first, each.second) for each in systems.pairs]
    by_rater = pair_tests.differences(design, design.rater, at)
    by_text = _by_text(design, at)
    flips = pair_tests.sign_flips(by_rater, inputs.rng("pair_tests/raters"))
    text_flips = pair_tests.sign_flips(by_text, inputs.rng("pair_tests/texts"))
    margin = inputs.margin if inputs.margin is not None and inputs.margin < inputs.width / 2 else None
    scale = {"low": inputs.scale.low, "high": inputs.scale.high}
    is_share = inputs.scale.unit == "%" and bool(np.isin(design.score, [*scale.values()]).all())
    rows = []
    between = differences(systems.means, at, **scale)
    for number, (first, second) in enumerate(at):
        odds = pair_tests.odds_ratio(systems.means, first, second, **scale) if is_share else None
        ratio, low, high = odds or (None, None, None)
        sd = pair_tests.pooled_sd(design, first, second)
        rows.append(
            PairTest(
                first=systems.names[first][0],
                second=systems.names[second][0],
                raters=_count(by_rater[:, number]),
                flips_raters=_p(flips[number]),
                wilcoxon=_p(pair_tests.wilcoxon(by_rater[:, number])),
                texts=_count(by_text[:, number]),
                flips_texts=_p(text_flips[number]),
                equivalence=None if margin is None else pair_tests.equivalence(between[number], margin),
                effect=None if sd is None else between[number].estimate.value / sd,
                odds=ratio,
                odds_low=low,
                odds_high=high,
                sd=sd,
            )
        )
    named = inputs.definition.results.primary
    primary = stopping.contrast(named) if named else None
    on_texts = _texts(inputs, systems, primary)
    return PairTests(pairs=tuple(rows), margin=margin, is_share=is_share, primary=primary, by_text=on_texts)


def _texts(inputs: AnalysisInput, systems: Compared, primary: tuple[str, str] | None) -> ByText | None:
    """Return the primary contrast by text, otherwise that of the two highest scores."""
    names = [name for name, _kind in systems.names]
    highest = np.argsort(-systems.sign * systems.means.mean, kind="stable")
    first, second = primary or (names[highest[0]], names[highest[1]])
    rows = inputs.compared
    rows = rows[(rows["system"].isin([first, second]) & (rows["text"] != "")).to_numpy()]
    shared = rows.groupby("text", observed=True)["system"].nunique()
    found = [
        _on_text(inputs, str(text), rows[(rows["text"] == text).to_numpy()], first)
        for text in shared.index[shared == 2]
    ]
    if len(found) < 2 or not {first, second} <= set(names):
        return None
    return ByText(first=first, second=second, texts=tuple(sorted(found, key=lambda row: (-row.difference, row.text))))


def _on_text(inputs: AnalysisInput, text: str, rows: DataFrame, first: str) -> TextDifference:
    """Return the difference of the two systems on one text, by raters only."""
    design = Design.of(rows["score"].to_numpy(), rows["rater"].to_numpy(), (rows["system"] != first).to_numpy())
    group_means = means(design)
    between = difference(group_means, pair(2, 0, 1), low=inputs.scale.low, high=inputs.scale.high)
    is_few = any(group_means.refusal(row) is not None for row in np.eye(2))
    low, high = (None, None) if is_few else between.ends(0.05)
    return TextDifference(text=text, difference=between.estimate.value, low=low, high=high, ratings=len(rows))


def _design(inputs: AnalysisInput, systems: Compared) -> Design:
    """Return the ratings of the systems compared, with the same codes."""
    design, names = design_of(inputs.compared)
    return design.where(np.isin(design.system, [names.index(name) for name in systems.names]))


def _by_text(design: Design, at: list[tuple[int, int]]) -> Floats:
    if design.text is None:
        return np.full((1, len(at)), np.nan)
    return pair_tests.differences(design, design.text, at)


def _count(values: Floats) -> int:
    return int((~np.isnan(values)).sum())


def _p(found: PValue | None) -> float | None:
    return None if found is None else found.p
