"""Calibrated expectations of raters' scores, learnt from studies rated by people and by the same metric (F4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from analysis.data.hiding import is_hiding
from analysis.live import stored
from analysis.metrics import queries as metrics_queries
from analysis.metrics.models import MetricSet
from judge.prescreening.screening import PrescreeningResult, likeness, screening
from judge.runs.judgements import DECISIVE
from studies.clips import tables as clips_tables
from studies.clips.queries import all_of
from studies.definition import queries as definition_queries
from studies.members import access
from studies.rules.roles import Capability
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study

LEAST_SYSTEMS = 5


@dataclass(frozen=True, slots=True)
class Expectation:
    """Each system's expected score from raters, ± `reach` at `level`; without systems, `refused` says why."""

    refused: str = ""
    systems: dict[str, float] | None = None
    reach: float = 0.0
    level: float = 0.0
    learnt_from: int = 0


def expectation_for(study: Study, metric: MetricSet, result: PrescreeningResult) -> Expectation:
    """Return calibrated expectations for a study's systems, from the stored results of earlier studies."""
    if not metric.is_scaled:
        return Expectation(
            _("Uncalibrated: this metric has no lowest and highest value, so it can’t be compared with a score.")
        )
    points = list(_points(study, metric))
    if len(points) < LEAST_SYSTEMS:
        text = _(
            "Uncalibrated: people and this machine have scored {number} systems together in earlier studies of the "
            "same preset and language, and {least} are needed."
        )
        return Expectation(text.format(number=len(points), least=LEAST_SYSTEMS))
    # Imported late: NumPy loads slowly, and many pages don't need it.
    import numpy as np

    from analysis.stats.machines import calibrate

    machine, people = np.array(points, dtype=np.float64).T
    learnt = calibrate(machine, people)
    own = [(row.name, row.likeness) for row in result.systems if row.name != "human" and row.likeness is not None]
    predicted = learnt.expect(np.array([value for _name, value in own], dtype=np.float64))
    systems = {name: float(value) for (name, _value), value in zip(own, predicted, strict=True)}
    return Expectation("", systems, learnt.reach, learnt.level, len(points))


@dataclass(frozen=True, slots=True)
class Prescreened:
    """A metric's values, and raters' expected scores, for a page."""

    result: PrescreeningResult
    expectation: Expectation


def _summarized(study: Study, choice: str) -> Prescreened:
    metric = metrics_queries.metric_set(study.pk, int(choice))
    result = screening(study.pk, metric)
    return Prescreened(result, expectation_for(study, metric, result))


# `choice` is the metric's key.
SUMMARY = SummaryKind("prescreening", Prescreened, _summarized, all_of)


def _points(study: Study, metric: MetricSet) -> Iterator[tuple[float, float]]:
    """Yield (metric's mean, raters' mean) of each system in the owner's other studies with this preset and language."""
    if study.owner is None:
        return
    definition = definition_queries.definition(study)
    for other in access.visible(study.owner, Capability.SEE_SCORES).exclude(pk=study.pk).exclude(launched_at=None):
        like = definition_queries.definition(other)
        if (like.preset, like.texts.language) != (definition.preset, definition.texts.language) or is_hiding(other):
            continue
        same = next((each for each in metrics_queries.sets(other.pk) if _is_same(each, metric)), None)
        figures = stored.figures_of([other.pk]).get(other.pk)
        if same is None or figures is None:
            continue
        people = {row.name: row.mean for row in figures.scores["system"] if not row.kind}
        for name, value in _means(other.pk, same).items():
            if name in people:
                yield value, people[name]


def _means(study_id: int, metric: MetricSet) -> dict[str, float]:
    values = metrics_queries.values(metric.pk)
    by_system: defaultdict[str, list[float]] = defaultdict(list)
    for clip, groups in clips_tables.groups(study_id).items():
        like = likeness(metric, values[clip]) if clip in values and groups.role == "test" else None
        if like is not None:
            by_system[groups.system].append(like)
    return {name: fmean(some) for name, some in by_system.items()}


def _is_same(one: MetricSet, other: MetricSet) -> bool:
    """True if both metrics come from the same judge (without a judge: same name and definition)."""
    return _key(one) == _key(other)


def _key(metric: MetricSet) -> Sequence[Any]:
    identity = [str(metric.provenance.get(name, "")) for name in DECISIVE]
    meant = [metric.low, metric.high, metric.direction]
    return [*identity, *meant] if any(identity) else [metric.source, metric.name, *meant]
