"""Launch findings and a panel from a metric's pre-screening."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.metrics import queries as metrics_queries
from analysis.metrics.models import MetricSet
from judge.prescreening.calibration import expectation_for
from judge.prescreening.screening import PrescreeningResult, screening
from studies.hooks import LaunchFinding

if TYPE_CHECKING:
    from studies.definition.models import Study


def usual(study_id: int) -> MetricSet | None:
    """Return the default metric of pre-screening: the newest judge's, otherwise the newest."""
    there = metrics_queries.sets(study_id)
    scaled = [each for each in there if each.low is not None]
    return next((each for each in scaled if each.source == "judge"), next(iter(scaled or there), None))


def findings(study: Study) -> Iterator[LaunchFinding]:
    """Yield findings on doubtful traps, clips without scores, and expected scores; none without a metric."""
    metric = usual(study.pk)
    if metric is None or not study.is_draft:
        return
    result = screening(study.pk, metric)
    if result.doubtful:
        text = ngettext(
            "{metric} doubts {number} trap: listen to it under Pre-screening.",
            "{metric} doubts {number} traps: listen to them under Pre-screening.",
            len(result.doubtful),
        )
        yield LaunchFinding(
            "warning", text.format(metric=metric.name, number=len(result.doubtful)), place="judge:prescreening"
        )
    if result.failed:
        text = ngettext(
            "{metric} could not score {number} clip: Pre-screening says why.",
            "{metric} could not score {number} clips: Pre-screening says why.",
            result.failed,
        )
        yield LaunchFinding(
            "warning", text.format(metric=metric.name, number=result.failed), place="judge:prescreening"
        )
    if result.low_mass:
        text = _(
            "{metric}: for {number} clips the judge mostly wanted to say something else than its labels, so its scores "
            "may mean little."
        )
        yield LaunchFinding(
            "warning", text.format(metric=metric.name, number=result.low_mass), place="judge:prescreening"
        )
    if result.missing:
        text = ngettext(
            "{metric} doesn’t know {number} clip that was added since.",
            "{metric} doesn’t know {number} clips that were added since.",
            result.missing,
        )
        yield LaunchFinding("note", text.format(metric=metric.name, number=result.missing), place="judge:prescreening")
    if result.systems:
        yield LaunchFinding("note", _expectation(study, metric, result), place="judge:prescreening")


def _expectation(study: Study, metric: MetricSet, result: PrescreeningResult) -> str:
    """Return each system's expected score, in one sentence."""
    expectation = expectation_for(study, metric, result)
    if expectation.systems is not None:
        listed = "; ".join(f"{name} {value:.2f}" for name, value in expectation.systems.items())
        text = _(
            "Expected from people, by {metric} (± {reach:.2f} at {level:.0f} %, learnt from {number} systems): "
            "{listed}."
        )
        return text.format(
            metric=metric.name,
            reach=expectation.reach,
            level=100 * expectation.level,
            number=expectation.learnt_from,
            listed=listed,
        )
    listed = "; ".join(
        f"{row.name} {row.mean:.2f}" + (f" ({row.low:.2f} to {row.high:.2f})" if row.low is not None else "")
        for row in result.systems
    )
    return _("Mean by {metric}, uncalibrated: {listed}.").format(metric=metric.name, listed=listed)


def panel(study: Study) -> str:
    """Render links to the pre-screening and judge pages."""
    return format_html(
        '<p>{}</p><p><a href="{}">{}</a> · <a href="{}">{}</a></p>',
        _(
            "A model listens before your raters do: it finds doubtful traps, predicts the score of each system, and "
            "lists clips to check."
        ),
        reverse("judge:prescreening", args=[study.slug]),
        _("Pre-screening"),
        reverse("judge:judge", args=[study.slug]),
        _("Judge"),
    )
