"""All blocks of an analysis in the order of its page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.report.page.analysis import estimates, people, rest
from analysis.report.page.analysis.blocks import Block


def blocks(results: Mapping[str, Any]) -> list[Block]:
    """Return every section; those that were refused say why."""
    return [
        estimates.scores(results),
        estimates.baseline(results),
        estimates.contrasts(results),
        *estimates.models(results),
        rest.detection(results),
        rest.boxes(results),
        people.participants(results),
        rest.exclusions(results),
        rest.multiverse(results),
        rest.quality(results),
        rest.agreement(results),
        rest.times(results),
        rest.breakdowns(results),
        rest.metrics(results),
        rest.design(results),
    ]
