"""Tables of the SP-MCQA paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.data.groups import ANCHOR, HUMAN
from analysis.papers import shared
from analysis.papers.shared import HONEST, edges, estimates
from analysis.sections.shared import Refusal
from analysis.sections.tables import NAMED, Cell, Column, Table, titled
from studies.task_types.sp_mcqa import KINDS

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.sections.results import Material

COMMENTS = "sp_mcqa_table5"
COMMENTS_TITLE = "Table 5. Comments on the answer Other"
NOT_CODED, NO_CODE = "not coded", "no code fits"
COMMENTS_COLUMNS = titled("Question", "System", "Comment", "Related issue", "Task", "Kind")
ERRORS = "sp_mcqa_table4"
ERRORS_TITLE = "Table 4. Wrong answers by type of error"
PARTS = ("phonetic", "semantic", "syntax", "grammar", "structure", "other")
OF_WRONG = ("phonetic", "semantic", "syntax", "grammar", "other")
LEAST = 3
ACCURACY_TITLE = "Table 3. Accuracy (%) of answers to questions on spoken passages, beside other metrics"


def comments(studies: Sequence[Material]) -> Table:
    """Return raters' comments verbatim, with the codes that experts assigned.

    Stored results don't contain raters' own words; the caller adds them to the material. A task is a clip with its
    questions, so its id is the clip's file.
    """
    rows = [
        (
            note["prompt"],
            NAMED if note["kind"] == HUMAN else note["system"],
            note["note"],
            _issue(note),
            note["task"],
            _kind(note),
        )
        for study in studies
        for note in study.comments.get("listed", [])
    ]
    total = sum(study.comments.get("total", 0) for study in studies)
    notes = []
    if not rows:
        notes.append("All comments are in the download: ratings.csv, column note, of the rows whose code is other.")
    elif total > len(rows):
        notes.append(f"The first {len(rows)} of {total}; the download has them all.")
    return Table(
        COMMENTS,
        COMMENTS_TITLE,
        COMMENTS_COLUMNS,
        tuple(sorted(rows, key=lambda row: (str(row[1]), str(row[0])))),
        tuple(notes),
    )


def _issue(note: dict[str, Any]) -> str:
    """Return the codes of a comment, or a phrase if there are none."""
    issue: str | None = note.get("issue")
    return NOT_CODED if issue is None else issue or NO_CODE


def _kind(note: dict[str, Any]) -> str | None:
    """Return what kind of comment the rater called it; None where the study doesn't ask."""
    return KINDS.get(note["comment_kind"])


def errors(studies: Sequence[Material]) -> Table:
    """Return counts and percentages of all questions answered; syntax and grammar also combined, as Structure."""
    tally = shared.code_counts(studies, "error", "system")
    if not tally.of:
        return Table(ERRORS, ERRORS_TITLE, (Column("System"),), (), ("No answer to a question counts yet.",))
    known = [code for code in PARTS if code in tally.labels]
    extra = [code for code in tally.labels if code not in PARTS]
    rows: list[tuple[Cell, ...]] = []
    wrong = {name: sum(by_code.get(code, 0) for code in (*OF_WRONG, *extra)) for name, by_code in tally.given.items()}
    means = {name: 1 - wrong[name] / of for name, of in tally.of.items() if of}
    for name in shared.order(means):
        line: list[Cell] = [name, tally.of[name], wrong[name]]
        for code in (*known, *extra):
            line += [tally.given[name].get(code, 0), tally.share(name, code)]
        rows.append(tuple(line))
    heads = [
        column
        for code in (*known, *extra)
        for column in (Column(tally.labels[code]), Column(f"{tally.labels[code]} %", 3))
    ]
    notes = (
        "Percentages are of all questions answered. Structure is syntax and grammar together; golden questions are "
        "in none of the numbers.",
    )
    return Table(
        ERRORS, ERRORS_TITLE, (Column("System"), Column("Questions"), Column("Wrong"), *heads), tuple(rows), notes
    )


@dataclass(frozen=True, slots=True)
class MetricMeans:
    """A metric's name, and its means over clips by system."""

    name: str
    values: Mapping[str, float]


def metrics_beside(studies: Sequence[Material]) -> list[MetricMeans]:
    """Return the metrics of all studies; of metrics with the same name, the first."""
    metrics: dict[str, MetricMeans] = {}
    for study in studies:
        section = study.results.metrics
        for table in () if isinstance(section, Refusal) else section.tables:
            values = {NAMED if row.kind == HUMAN else row.name: row.mean for row in table.systems if row.kind != ANCHOR}
            metrics.setdefault(table.name, MetricMeans(table.name, values))
    return list(metrics.values())


def correlations(metrics: Sequence[MetricMeans], scores: Mapping[str, float]) -> list[str]:
    """Return a sentence per metric: how its system means correlate with the scores, by ranks and linearly."""
    return [_sentence(metric, scores) for metric in metrics]


def _sentence(metric: MetricMeans, scores: Mapping[str, float]) -> str:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    both = sorted(set(metric.values) & set(scores))
    first = np.array([metric.values[name] for name in both])
    second = np.array([scores[name] for name in both])
    if len(both) < LEAST:
        return f"{metric.name}: no correlation from {len(both)} systems; {LEAST} are needed."
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return f"{metric.name}: no correlation, since one of the two is the same for all systems."
    r, rho, tau = (float(of(first, second)[0]) for of in (pearsonr, spearmanr, kendalltau))
    return f"{metric.name} over {len(both)} systems: Pearson r {r:.3f}, Spearman ρ {rho:.3f}, Kendall τ {tau:.3f}."


def tables(studies: Sequence[Material]) -> list[Table]:
    """Return the three tables; figures that the studies don't have are a dash with a note."""
    sp_mcqa_studies = [study for study in studies if study.kind.paper == "sp-mcqa"]
    if not sp_mcqa_studies:
        note = f"No questions on passages: {shared.slugs(studies)} ask something else."
        table3 = Table("sp_mcqa_table3", ACCURACY_TITLE, (Column("System"),), (), (note,))
    else:
        table3 = _accuracy(sp_mcqa_studies, studies)
    return [table3, errors(sp_mcqa_studies), comments(sp_mcqa_studies)]


def _accuracy(sp_mcqa_studies: Sequence[Material], studies: Sequence[Material]) -> Table:
    rows = shared.joined_rows(sp_mcqa_studies)
    if rows.empty:
        return Table("sp_mcqa_table3", ACCURACY_TITLE, (Column("System"),), (), ("No answer counts yet.",))
    scale = sp_mcqa_studies[0].kind.score
    by_label = estimates(rows.assign(whole=""), "whole", low=scale.low, high=scale.high)
    wanted = sp_mcqa_studies[0].definition.protocol.ratings_wanted
    first, by_rater = _first(rows, wanted), _by_rater(rows)
    beside = metrics_beside(studies)
    accuracy = {label: 100 * row.whole.mean for label, row in by_label.items()}
    listed = shared.order(accuracy)
    body: list[tuple[Cell, ...]] = []
    for label in listed:
        whole = by_label[label].whole
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
        *correlations(beside, accuracy),
        *edges(by_label),
    ]
    return Table("sp_mcqa_table3", ACCURACY_TITLE, columns, tuple(body), tuple(notes))


def _first(rows: DataFrame, wanted: int) -> dict[str, float]:
    """Return the accuracy in percent over the first usable raters of each item (rule C5)."""
    sheets = rows.drop_duplicates("trial")
    trials = sheets[sheets.groupby("item").cumcount() < wanted]["trial"]
    return _percent(rows[rows["trial"].isin(trials)].groupby("label")["score"].mean())


def _by_rater(rows: DataFrame) -> dict[str, float]:
    """Return the unweighted mean of raters' own accuracies, in percent."""
    return _percent(rows.groupby(["label", "rater"])["score"].mean().groupby("label").mean())


def _percent(shares: Any) -> dict[str, float]:
    return {str(label): 100 * float(share) for label, share in shares.items()}
