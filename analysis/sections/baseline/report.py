"""Systems against human speech, in the report."""

from __future__ import annotations

from analysis.sections.detection.report import table
from analysis.sections.parts import Part, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table

VERDICTS = {"non_inferior": "not inferior", "inferior": "inferior", "undecided": "undecided", "": None}


def part(results: Results) -> Part:
    """Return how systems compare with human speech, and what raters could tell."""
    baseline, signal = results.baseline, results.detection
    scale = scale_of(results)
    digits = scale.digits + 1
    tables, sentences = [], []
    if not isinstance(baseline, Refusal):
        human = baseline.human
        where = "test clips" if baseline.source == "test" else "traps of every full batch, valid or not"
        mean = f"{scale.show(human.mean)} {scale.interval(human.low, human.high)}".rstrip()
        sentences = [f"Human speech scored {mean}, from {where}.", *([baseline.note] if baseline.note else [])]
        margin = baseline.margin
        if margin is not None:
            sentences.append(f"The margin of non-inferiority, fixed before the launch, is {scale.show(margin)}.")
        rows = [
            (row.name, *scaled([row.difference, row.low, row.high], scale), VERDICTS[row.verdict])
            for row in baseline.systems
        ]
        columns = (
            Column("System"), Column("Less human", digits), Column("Low", digits), Column("High", digits),
            Column("Verdict"),
        )  # fmt: skip
        tables += [Table("against_human", "Systems against human speech", columns, tuple(rows))] if rows else []
    else:
        sentences.append(baseline.refused)
    if not isinstance(signal, Refusal):
        tables.append(table(signal))
    else:
        sentences.append(signal.refused)
    return Part("human", "Against human speech", tuple(sentences), tuple(tables))
