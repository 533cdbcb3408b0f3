"""Telling human from machine, in the report."""

from __future__ import annotations

from analysis.sections.detection.result import Detection
from analysis.sections.tables import Column, Table


def table(detection: Detection) -> Table:
    titles = ("d′", "d′ low", "d′ high", "Criterion", "AUC", "AUC low", "AUC high")
    signals = (detection.overall, *detection.systems)
    rows = tuple(
        (
            signal.name or "All systems", signal.d_prime, signal.d_prime_low, signal.d_prime_high, signal.criterion,
            signal.auc, signal.auc_low, signal.auc_high, signal.human, signal.synthetic,
        )
        for signal in signals
    )  # fmt: skip
    # Analyses of earlier releases have no notes.
    notes = sorted({f"{signal.name or 'All systems'}: {signal.note}" for signal in signals if signal.note})
    columns = (Column("Against"), *(Column(title, 2) for title in titles), Column("Human"), Column("Synthetic"))
    return Table("detection", "Telling human from synthetic speech", columns, rows, tuple(notes))
