"""A launch check of the newest plan: whether any number of raters is enough with the study's clips."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from pydantic import ValidationError

from analysis.planning import plans, view
from core.errors import Invalid
from core.text.numbers import percent, whole
from studies.hooks import LaunchFinding

if TYPE_CHECKING:
    from studies.definition.models import Study

# Plans read to find the newest finished one of power.
RECENT = 20


def findings(study: Study) -> Iterator[LaunchFinding]:
    """Warn if the newest plan of this study says that no number of raters is enough."""
    done = (row for row in plans.recent(study.pk, RECENT) if row.inputs.get("kind") == "power" and row.results)
    plan = next(done, None)
    if plan is None:
        return
    try:
        inputs, results = view.power_results(plan)
    except (KeyError, Invalid, ValidationError):
        # The plan of another release.
        return
    if results.needed is None:
        text = _(
            "Planning: with {clips} clips of each system, no number of raters is enough to find a difference of "
            "{difference} in {power} of studies. Add texts, or plan for a larger difference."
        )
    elif results.pairs > 1 and results.needed_all is None:
        text = _(
            "Planning: with {clips} clips of each system, no number of raters is enough to find a difference of "
            "{difference} between all pairs in {power} of studies. Add texts, or name the pair that matters before "
            "the launch."
        )
    else:
        return
    values = {"clips": whole(inputs.clips), "difference": f"{inputs.difference:g}", "power": percent(inputs.power)}
    yield LaunchFinding("warning", text.format(**values), place="analysis:planning")
