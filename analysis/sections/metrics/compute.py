"""External metrics beside the human scores, with their correlations (SP-MCQA paper, Table 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from analysis.metrics import queries
from analysis.sections.metrics import paired
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from analysis.metrics.models import MetricSet
    from analysis.sections.material import Material
    from analysis.sections.metrics.result import Metrics
    from analysis.sections.shared import Refused


class Correlated(TypedDict):
    """Pearson's r and Spearman's ρ with people's scores, over `n` clips or systems; human recordings are left out."""

    pearson: float
    spearman: float
    n: int


class Table(TypedDict):
    """One metric; `direction` is higher or lower (is better), `scale` its ends where they are known.

    `scored`, `failed` and `missing` count the study's clips.
    """

    name: str
    source: str
    direction: str
    scale: list[float] | None
    scored: int
    failed: int
    missing: int
    systems: list[paired.System]
    clip: Correlated | Refused
    system: Correlated | Refused


def compute(material: Material) -> Metrics:
    """Return a `Table` for each of the study's metrics, in the order of their names; the newest of each name."""
    study = definition_queries.study(material.slug)
    newest: dict[str, MetricSet] = {}
    for each in queries.sets(study.pk):
        newest.setdefault(each.name, each)
    people = paired.clips(material.frame)
    counted = queries.coverage(list(newest.values()), study.pk)
    return {"tables": [dict(_table(newest[name], material, people, counted)) for name in sorted(newest)]}


def _table(of: MetricSet, material: Material, people: Any, counted: dict[int, queries.Coverage]) -> Table:
    table = paired.beside(people, queries.values(of.pk), queries.trained_on(of))
    systems = paired.systems(table, material.frame)
    correlated = paired.correlations(table, systems)
    coverage = counted[of.pk]
    return {
        "name": of.name,
        "source": of.source,
        "direction": of.direction,
        "scale": None if of.low is None or of.high is None else [of.low, of.high],
        "scored": coverage.scored,
        "failed": coverage.failed,
        "missing": coverage.missing,
        "systems": systems,
        "clip": correlated["clip"],
        "system": correlated["system"],
    }
