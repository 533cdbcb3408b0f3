"""Tables 3 to 5 of the SP-MCQA paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.report.papers import comments, errors, joined, metrics
from analysis.report.papers.estimates import HONEST, estimates
from analysis.report.papers.table import Cell, Column, Table

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.report.material import Material

KIND = "sp_mcqa"
TITLE = "Table 3. Accuracy (%) of answers to questions on spoken passages, beside other metrics"


def tables(studies: Sequence[Material]) -> list[Table]:
    """Return the three tables; what the studies can't tell is a dash with a note."""
    asked = [study for study in studies if study.kind.name == KIND]
    if not asked:
        note = f"No questions on passages: {joined.slugs(studies)} ask something else."
        table3 = Table("sp_mcqa_table3", TITLE, (Column("System"),), (), (note,))
    else:
        table3 = _accuracy(asked, studies)
    return [table3, errors.table(asked), comments.table(asked)]


def _accuracy(asked: Sequence[Material], studies: Sequence[Material]) -> Table:
    rows = joined.rows(asked)
    if rows.empty:
        return Table("sp_mcqa_table3", TITLE, (Column("System"),), (), ("No answer counts yet.",))
    scale = asked[0].kind.score
    found = estimates(rows.assign(whole=""), "whole", low=scale.low, high=scale.high)
    wanted = asked[0].definition.protocol.ratings_wanted
    first, by_rater = _first(rows, wanted), _by_rater(rows)
    beside = metrics.beside(studies)
    accuracy = {label: 100 * row.whole.mean for label, row in found.items()}
    listed = joined.order(accuracy)
    body: list[tuple[Cell, ...]] = []
    for label in listed:
        whole = found[label].whole
        ends = [None if end is None else 100 * end for end in (whole.low, whole.high)]
        others = [metric.values.get(label) for metric in beside]
        body.append(
            (label, accuracy[label], *ends, first.get(label), by_rater.get(label), *others, whole.ratings, whole.raters)
        )
    columns = (
        Column("System"), Column("ACC", 3), Column("Low", 3), Column("High", 3), Column(f"ACC, first {wanted}", 3),
        Column("ACC, mean over raters", 3), *(Column(metric.name, 3) for metric in beside), Column("Answers"),
        Column("Raters"),
    )  # fmt: skip
    notes = [
        "ACC counts every answer alike, as in the paper. A task is heard again where raters disagree, so that hard "
        f"ones weigh more in it; the first {wanted} usable raters of each task are free of that.",
        HONEST,
        *metrics.correlations(beside, accuracy),
    ]
    return Table("sp_mcqa_table3", TITLE, columns, tuple(body), tuple(notes))


def _first(rows: DataFrame, wanted: int) -> dict[str, float]:
    """Return the accuracy in percent from the first usable raters of each task (rule C5)."""
    sheets = rows.drop_duplicates("trial")
    kept = sheets[sheets.groupby("item").cumcount() < wanted]["trial"]
    return _percent(rows[rows["trial"].isin(kept)].groupby("label")["score"].mean())


def _by_rater(rows: DataFrame) -> dict[str, float]:
    """Return the unweighted mean over raters of their own accuracies, in percent."""
    return _percent(rows.groupby(["label", "rater"])["score"].mean().groupby("label").mean())


def _percent(shares: Any) -> dict[str, float]:
    return {str(label): 100 * float(share) for label, share in shares.items()}
