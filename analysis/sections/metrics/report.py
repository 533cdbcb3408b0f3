"""External metrics, in the report."""

from __future__ import annotations

from typing import Any

from analysis.plots.words import scale_of
from analysis.sections.parts import Part, Results, name_of, scaled
from analysis.sections.stored import is_there, section
from analysis.sections.tables import Cell, Column, Table


def part(results: Results) -> Part:
    """Return external metrics beside people's scores."""
    found = section(results, "metrics")
    listed = found.get("tables", [])
    if not listed:
        return Part("metrics", "External metrics", refused=found.get("refused", "None was imported."))
    scale = scale_of(results)
    systems = {row["name"]: row for table in listed for row in table["systems"]}
    means = [{row["name"]: row["mean"] for row in table["systems"]} for table in listed]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name_of(row), *scaled([row["score"]], scale), *(mean.get(name) for mean in means))
        for name, row in systems.items()
    )
    notes = tuple(f"{table['name']}: {_correlated(table)}" for table in listed)
    columns = (Column("System"), Column(scale.title, scale.digits + 1), *(Column(table["name"], 3) for table in listed))
    return Part("metrics", "External metrics", (), (Table("metrics", "Means by system", columns, rows, notes),))


def _correlated(table: dict[str, Any]) -> str:
    said = []
    for unit in ("clip", "system"):
        found = table[unit]
        if is_there(found):
            pair = f"Pearson r {found['pearson']:.3f}, Spearman ρ {found['spearman']:.3f}"
            said.append(f"{pair} over {found['n']} {unit}s")
        else:
            said.append(f"by {unit} {found['refused'][:1].lower()}{found['refused'][1:].rstrip('.')}")
    return "; ".join(said) + "."
