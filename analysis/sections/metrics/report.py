"""External metrics, in the report."""

from __future__ import annotations

from analysis.sections.metrics.result import Metric
from analysis.sections.parts import Part, name_of, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table


def part(results: Results) -> Part:
    """Return external metrics beside people's scores."""
    metrics = results.metrics
    if isinstance(metrics, Refusal):
        return Part("metrics", "External metrics", refused=metrics.refused)
    if not metrics.tables:
        return Part("metrics", "External metrics", refused="None was imported.")
    scale = scale_of(results)
    systems = {row.name: row for table in metrics.tables for row in table.systems}
    means = [{row.name: row.mean for row in table.systems} for table in metrics.tables]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name_of(row), *scaled([row.score], scale), *(mean.get(name) for mean in means))
        for name, row in systems.items()
    )
    notes = tuple(f"{table.name}: {_correlated(table)}" for table in metrics.tables)
    columns = (
        Column("System"),
        Column(scale.title, scale.digits + 1),
        *(Column(table.name, 3) for table in metrics.tables),
    )
    return Part("metrics", "External metrics", (), (Table("metrics", "Means by system", columns, rows, notes),))


def _correlated(metric: Metric) -> str:
    sentences = []
    for unit, correlation in (("clip", metric.clip), ("system", metric.system)):
        if isinstance(correlation, Refusal):
            reason = correlation.refused
            sentences.append(f"by {unit} {reason[:1].lower()}{reason[1:].rstrip('.')}")
        else:
            pair = f"Pearson r {correlation.pearson:.3f}, Spearman ρ {correlation.spearman:.3f}"
            sentences.append(f"{pair} over {correlation.n} {unit}s")
    return "; ".join(sentences) + "."
