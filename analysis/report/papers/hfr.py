"""Tables 1 to 5 of “The Human Fooling Rate” paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.report.papers import joined, markers, seconds
from analysis.report.papers.estimates import HONEST, PAPER, Estimate, estimates
from analysis.report.papers.table import Cell, Column, Table
from studies.task_types.base import Score

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.report.material import Material

FORCED = ("hfr", "hfr_granular")
DOMAINS = {"human": "Ref.", "commercial": "Closed", "open": "Open"}
ZERO_SHOT = "zero-shot"
ENDS = (Column("±, paper", 2), Column("Low", 2), Column("High", 2), Column("Answers"), Column("Raters"))


def tables(studies: Sequence[Material]) -> list[Table]:
    """Return the five tables; what the studies can't tell is a dash with a note."""
    binary = [study for study in studies if study.kind.name == FORCED[0]]
    binary = binary or [study for study in studies if study.kind.name == FORCED[1]]
    if not binary:
        missing = f"No answers Human or Machine: {joined.slugs(studies)} ask something else."
        first = [_empty(name, title, missing) for name, title in TITLES.items()]
    else:
        rows = joined.rows(binary)
        scale = binary[0].kind.score
        first = [_benchmarks(rows, scale), _domains(rows, scale, studies), _conditions(rows, scale)]
    return [*first, markers.table(studies), seconds.table(studies)]


TITLES = {
    "hfr_table1": "Table 1. Human Fooling Rate (%) of each system by benchmark",
    "hfr_table2": "Table 2. Human Fooling Rate (%) beside MUSHRA",
    "hfr_table3": "Table 3. Human Fooling Rate (%) by condition",
}


def _benchmarks(rows: DataFrame, scale: Score) -> Table:
    name = "hfr_table1"
    if rows.empty:
        return _empty(name, TITLES[name], "No answer counts yet.")
    found = estimates(rows, "benchmark", low=scale.low, high=scale.high)
    names = joined.levels(rows["benchmark"])
    notes = [HONEST, PAPER, *_extremes(found)]
    if not names:
        notes.append("The manifests name no benchmark, so that μ is the mean over all answers.")
    # Answers without a benchmark, where others have one, are in no column and so in no mean of columns.
    whole = {label: row for label, row in found.items() if not names or set(row.cells) == set(names)}
    listed = joined.order({label: _mean(row) for label, row in found.items()})
    body = []
    for label in listed:
        row = found[label]
        cells: list[Cell] = [_percent(row.cells.get(benchmark)) for benchmark in names]
        if label in whole:
            body.append((label, *cells, _percent(row.whole.mean), *_ends(row)))
        else:
            body.append((label, *cells, None, None, None, None, row.whole.ratings, row.whole.raters))
    for label in listed:
        if label not in whole:
            lacks = ", ".join(sorted(set(names) - set(found[label].cells))) or "a named benchmark for all clips"
            notes.append(f"{label} was not heard in {lacks}: a mean over benchmarks would not compare.")
    columns = (Column("System"), *(Column(benchmark, 2) for benchmark in names), Column("μ", 2), *ENDS)
    return Table(name, TITLES[name], columns, tuple(body), (*notes, *_edges(found)))


def _domains(rows: DataFrame, scale: Score, studies: Sequence[Material]) -> Table:
    name = "hfr_table2"
    if rows.empty:
        return _empty(name, TITLES[name], "No answer counts yet.")
    found = estimates(rows.assign(whole=""), "whole", low=scale.low, high=scale.high)
    beside = _mushra(studies)
    domains = rows.groupby("label")["domain"].agg(lambda column: "/".join(joined.levels(column))).to_dict()
    listed = sorted(found, key=lambda label: (-found[label].whole.mean, label))
    body = []
    for label in listed:
        domain = domains[label] or ("human" if label == joined.NAMED else "")
        mushra = beside.get(label)
        shown = DOMAINS.get(domain, domain) or None
        body.append((label, shown, _percent(found[label].whole.mean), *_ends(found[label]), mushra))
    notes = [HONEST, PAPER, *_extremes(found)]
    if not beside:
        notes.append("No MUSHRA study stands beside this one: name it with --with.")
    else:
        without = [label for label in listed if label not in beside]
        notes += [f"Not in the MUSHRA study: {', '.join(without)}."] if without else []
    if any(not domains[label] and label != joined.NAMED for label in listed):
        notes.append("A dash stands where the manifest names no domain.")
    columns = (Column("System"), Column("Domain"), Column("HFR", 2), *ENDS, Column("MUSHRA", 2))
    return Table(name, TITLES[name], columns, tuple(body), (*notes, *_edges(found)))


def _conditions(rows: DataFrame, scale: Score) -> Table:
    name = "hfr_table3"
    names = joined.levels(rows["condition"], (ZERO_SHOT,))
    synthetic = rows[(rows["label"] != joined.NAMED) & (rows["condition"] != "")]
    several = synthetic.groupby("system")["condition"].nunique()
    kept = synthetic[synthetic["system"].isin(several[several > 1].index)]
    if kept.empty:
        return _empty(name, TITLES[name], "No system was heard in two conditions, so that there is nothing to compare.")
    found = estimates(kept.assign(whole=""), "whole", low=scale.low, high=scale.high)
    body = []
    for system in sorted(kept["system"].unique()):
        line: list[Cell] = [str(system)]
        for condition in names:
            row = found.get(f"{system} ({condition})")
            ends = (row.whole.low, row.whole.high) if row else (None, None)
            line += [_percent(row.whole.mean if row else None), _percent(row.half if row else None)]
            line += [_percent(end) for end in ends]
        body.append(tuple(line))
    per = [(condition, "±, paper", "low", "high") for condition in names]
    columns = [Column(f"{one[0]} {part}".strip(), 2) for one in per for part in ("", *one[1:])]
    notes = (HONEST, PAPER, *_extremes(found), *_edges(found))
    return Table(name, TITLES[name], (Column("System"), *columns), tuple(body), notes)


def _mushra(studies: Sequence[Material]) -> dict[str, float]:
    found = [study for study in studies if study.kind.name == "mushra"]
    if not found:
        return {}
    rows = joined.rows(found)
    return {str(label): float(mean) for label, mean in rows.groupby("label")["score"].mean().items()}


def _mean(row: Estimate) -> float:
    return sum(row.cells.values()) / len(row.cells)


def _ends(row: Estimate) -> tuple[Cell, ...]:
    whole = row.whole
    return _percent(row.half), _percent(whole.low), _percent(whole.high), whole.ratings, whole.raters


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _extremes(found: dict[str, Estimate]) -> list[str]:
    halves = [100 * row.half for row in found.values() if row.half is not None]
    return [f"95 % CI by the paper's formula: min. {min(halves):.2f}; max. {max(halves):.2f}."] if halves else []


def _edges(found: dict[str, Estimate]) -> list[str]:
    """Return why intervals are missing or made otherwise, once for each reason."""
    reasons: dict[str, list[str]] = {}
    for label, row in sorted(found.items()):
        if row.whole.note:
            reasons.setdefault(row.whole.note, []).append(label)
    return [f"{', '.join(labels)}: {reason}" for reason, labels in reasons.items()]


def _empty(name: str, title: str, why: str) -> Table:
    return Table(name, title, (Column("System"),), (), (why,))
