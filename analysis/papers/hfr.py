"""Tables of the Human Fooling Rate paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.data.frame import counted
from analysis.papers import shared
from analysis.papers.shared import HONEST, PAPER, Estimate, edges, estimates
from analysis.sections.tables import NAMED, Cell, Column, Table
from studies.task_types.base import ScoreScale

if TYPE_CHECKING:
    from pandas import DataFrame

    from analysis.sections.results import Material

MARKERS = "hfr_table4"
MARKERS_TITLE = "Table 4. Markers named, in percent of all usable answers"
MARKERS_DOMAINS = {"commercial": "Commercial", "open": "Open-source"}
SECONDS_TITLE = "Table 5. Seconds that a rater takes for one sample"
DOMAINS = {"human": "Ref.", "commercial": "Closed", "open": "Open"}
ZERO_SHOT = "zero-shot"
OF_BENCHMARKS = (
    "The interval is that of μ: every benchmark counts alike, and raters and texts are drawn within benchmarks. Table "
    "2 has the mean of all answers with its own interval, so both differ even where the means are equal: publish the "
    "one of the mean that you print."
)
TRAINED = "* The system was trained on this benchmark."
ENDS = (Column("±, paper", 2), Column("Low", 2), Column("High", 2), Column("Answers"), Column("Raters"))
TITLES = {
    "hfr_table1": "Table 1. Human Fooling Rate (%) of each system by benchmark",
    "hfr_table2": "Table 2. Human Fooling Rate (%) beside MUSHRA",
    "hfr_table3": "Table 3. Human Fooling Rate (%) by condition",
}


def markers(studies: Sequence[Material]) -> Table:
    """Return markers as rows and domains as columns; systems as columns if the manifests name no domain."""
    with_markers = [study for study in studies if "marker" in study.kind.columns]
    if not with_markers:
        note = "No study here asks for markers (preset hfr_granular): join one with --with."
        return Table(MARKERS, MARKERS_TITLE, (Column("Marker"),), (), (note,))
    tally = shared.code_counts(with_markers, "marker", "domain")
    is_by_domain = any(name not in ("", NAMED) for name in tally.of)
    if not is_by_domain:
        tally = shared.code_counts(with_markers, "marker", "system")
    first = [NAMED, *MARKERS_DOMAINS] if is_by_domain else [NAMED]
    groups = [*(name for name in first if name in tally.of), *sorted(set(tally.of) - set(first))]
    rows: list[tuple[Cell, ...]] = [
        (label, *(tally.share(group, code) for group in groups)) for code, label in tally.labels.items()
    ]
    rows.append(("Answers", *(tally.of[group] for group in groups)))
    notes = ["The percentage is of all usable answers of the group, those that say Human included (rule of the paper)."]
    if not groups:
        notes = ["No answer counts yet."]
    elif not is_by_domain:
        notes.append("The manifest names no domain (commercial, open), so that systems stand here one by one.")
    columns = [Column(MARKERS_DOMAINS.get(group, group) or "No domain", 1) for group in groups]
    return Table(MARKERS, MARKERS_TITLE, (Column("Marker"), *columns), tuple(rows) if groups else (), tuple(notes))


def seconds(studies: Sequence[Material]) -> Table:
    """Return mean and median times by test type, over all studies of a type (rule C4)."""
    import pandas as pd

    kinds = sorted({study.kind for study in studies}, key=lambda kind: (not kind.short, kind.name))
    columns, values = [Column("Time taken")], []
    for kind in kinds:
        frames = [counted(study.frame) for study in studies if study.kind is kind]
        # A clip with several questions has several rows with the same time.
        each = pd.concat([frame.drop_duplicates(["trial", "clip"])["response_seconds"] for frame in frames]).dropna()
        columns.append(Column(kind.short or kind.name.upper(), 2))
        values.append((float(each.mean()), float(each.median()), len(each)) if len(each) else (None, None, 0))
    names = ("Mean (s)", "Median (s)", "Samples")
    rows: list[tuple[Cell, ...]] = [(name, *(column[at] for column in values)) for at, name in enumerate(names)]
    notes = (
        "From the clip shown to the answer; a screen of several clips is divided by their number.",
        *(["Other test types join with --with."] if len(kinds) == 1 else []),
    )
    return Table("hfr_table5", SECONDS_TITLE, tuple(columns), tuple(rows), notes)


def tables(studies: Sequence[Material]) -> list[Table]:
    """Return the five tables; figures that the studies don't have are a dash with a note."""
    fitting = [study for study in studies if study.kind.paper == "hfr"]
    # The answers of one type only: hfr is preferred to hfr_granular.
    binary = [study for study in fitting if study.kind.name == min(each.kind.name for each in fitting)]
    if not binary:
        missing = f"No answers Human or Machine: {shared.slugs(studies)} ask something else."
        first = [_empty(name, title, missing) for name, title in TITLES.items()]
    else:
        rows = shared.joined_rows(binary)
        scale = binary[0].kind.score
        first = [_benchmarks(rows, scale), _domains(rows, scale, studies), _conditions(rows, scale)]
    return [*first, markers(studies), seconds(studies)]


def _benchmarks(rows: DataFrame, scale: ScoreScale) -> Table:
    name = "hfr_table1"
    if rows.empty:
        return _empty(name, TITLES[name], "No answer counts yet.")
    by_label = estimates(rows, "benchmark", low=scale.low, high=scale.high)
    names = shared.levels(rows["benchmark"])
    notes = [HONEST, *([OF_BENCHMARKS] if len(names) > 1 else []), PAPER, *_extremes(by_label)]
    if not names:
        notes.append("The manifests name no benchmark, so that μ is the mean over all answers.")
    # A system that lacks a benchmark, or has answers without one, gets no mean over benchmarks.
    whole = {label: row for label, row in by_label.items() if not names or set(row.cells) == set(names)}
    listed = shared.order({label: _mean(row) for label, row in by_label.items()})
    starred = _starred(rows, listed, names)
    notes = [*([TRAINED] if starred else []), *notes]
    body = []
    for label in listed:
        row = by_label[label]
        cells: list[Cell] = [_percent(row.cells.get(benchmark)) for benchmark in names]
        if label in whole:
            body.append((label, *cells, _percent(row.whole.mean), *_ends(row)))
        else:
            body.append((label, *cells, None, None, None, None, row.whole.ratings, row.whole.raters))
    for label in listed:
        if label not in whole:
            lacks = ", ".join(sorted(set(names) - set(by_label[label].cells))) or "a named benchmark for all clips"
            notes.append(f"{label} was not heard in {lacks}: a mean over benchmarks would not compare.")
    columns = (Column("System"), *(Column(benchmark, 2) for benchmark in names), Column("μ", 2), *ENDS)
    return Table(name, TITLES[name], columns, tuple(body), (*notes, *edges(by_label)), starred)


def _starred(rows: DataFrame, labels: Sequence[str], benchmarks: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the places of benchmarks that a system was trained on, in a table with benchmarks from column 1 on."""
    seen = rows[(rows["seen"] == "yes") & (rows["benchmark"] != "")]
    pairs = set(zip(seen["label"], seen["benchmark"], strict=True))
    return tuple(sorted((labels.index(label), 1 + benchmarks.index(benchmark)) for label, benchmark in pairs))


def _domains(rows: DataFrame, scale: ScoreScale, studies: Sequence[Material]) -> Table:
    name = "hfr_table2"
    if rows.empty:
        return _empty(name, TITLES[name], "No answer counts yet.")
    by_label = estimates(rows.assign(whole=""), "whole", low=scale.low, high=scale.high)
    beside = _mushra(studies)
    domains = rows.groupby("label")["domain"].agg(lambda column: "/".join(shared.levels(column))).to_dict()
    listed = sorted(by_label, key=lambda label: (-by_label[label].whole.mean, label))
    body = []
    for label in listed:
        domain = domains[label] or ("human" if label == NAMED else "")
        mushra = beside.get(label)
        shown = DOMAINS.get(domain, domain) or None
        body.append((label, shown, _percent(by_label[label].whole.mean), *_ends(by_label[label]), mushra))
    notes = [HONEST, PAPER, *_extremes(by_label)]
    if not beside:
        notes.append("No MUSHRA study stands beside this one: name it with --with.")
    else:
        without = [label for label in listed if label not in beside]
        notes += [f"Not in the MUSHRA study: {', '.join(without)}."] if without else []
    if any(not domains[label] and label != NAMED for label in listed):
        notes.append("A dash stands where the manifest names no domain.")
    columns = (Column("System"), Column("Domain"), Column("HFR", 2), *ENDS, Column("MUSHRA", 2))
    return Table(name, TITLES[name], columns, tuple(body), (*notes, *edges(by_label)))


def _conditions(rows: DataFrame, scale: ScoreScale) -> Table:
    name = "hfr_table3"
    names = shared.levels(rows["condition"], (ZERO_SHOT,))
    synthetic = rows[(rows["label"] != NAMED) & (rows["condition"] != "")]
    several = synthetic.groupby("system")["condition"].nunique()
    compared = synthetic[synthetic["system"].isin(several[several > 1].index)]
    if compared.empty:
        return _empty(name, TITLES[name], "No system was heard in two conditions, so that there is nothing to compare.")
    by_label = estimates(compared.assign(whole=""), "whole", low=scale.low, high=scale.high)
    body = []
    for system in sorted(compared["system"].unique()):
        line: list[Cell] = [str(system)]
        for condition in names:
            row = by_label.get(f"{system} ({condition})")
            ends = (row.whole.low, row.whole.high) if row else (None, None)
            line += [_percent(row.whole.mean if row else None), _percent(row.half if row else None)]
            line += [_percent(end) for end in ends]
        body.append(tuple(line))
    per = [(condition, "±, paper", "low", "high") for condition in names]
    columns = [Column(f"{one[0]} {part}".strip(), 2) for one in per for part in ("", *one[1:])]
    notes = (HONEST, PAPER, *_extremes(by_label), *edges(by_label))
    return Table(name, TITLES[name], (Column("System"), *columns), tuple(body), notes)


def _mushra(studies: Sequence[Material]) -> dict[str, float]:
    sliders = [study for study in studies if study.kind.score.name == "MUSHRA"]
    if not sliders:
        return {}
    rows = shared.joined_rows(sliders)
    return {str(label): float(mean) for label, mean in rows.groupby("label")["score"].mean().items()}


def _mean(row: Estimate) -> float:
    return sum(row.cells.values()) / len(row.cells)


def _ends(row: Estimate) -> tuple[Cell, ...]:
    whole = row.whole
    return _percent(row.half), _percent(whole.low), _percent(whole.high), whole.ratings, whole.raters


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _extremes(by_label: dict[str, Estimate]) -> list[str]:
    halves = [100 * row.half for row in by_label.values() if row.half is not None]
    return [f"95 % CI by the paper's formula: min. {min(halves):.2f}; max. {max(halves):.2f}."] if halves else []


def _empty(name: str, title: str, why: str) -> Table:
    return Table(name, title, (Column("System"),), (), (why,))
