"""Telling human from machine, in the report."""

from __future__ import annotations

from typing import Any

from analysis.sections.tables import Column, Table


def table(found: dict[str, Any]) -> Table:
    titles = ("d′", "d′ low", "d′ high", "Criterion", "AUC", "AUC low", "AUC high")
    keys = ("d_prime", "d_prime_low", "d_prime_high", "criterion", "auc", "auc_low", "auc_high")
    parts = (found["overall"], *found["systems"])
    rows = [
        (row["name"] or "All systems", *(row[key] for key in keys), row["human"], row["synthetic"]) for row in parts
    ]
    # Analyses of earlier releases have no notes.
    notes = sorted({f"{row['name'] or 'All systems'}: {row['note']}" for row in parts if row.get("note")})
    columns = (Column("Against"), *(Column(title, 2) for title in titles), Column("Human"), Column("Synthetic"))
    return Table("detection", "Telling human from synthetic speech", columns, tuple(rows), tuple(notes))
