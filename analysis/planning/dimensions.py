"""The raters that find a difference within each dimension of the texts."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, hypot
from typing import TYPE_CHECKING

from analysis.planning.inputs import PowerInputs
from analysis.planning.result import ByClips

if TYPE_CHECKING:
    from analysis.stats.planning import Plan, Spread


def by_dimension(inputs: PowerInputs, spread: Spread, plan: Plan, clips: int) -> ByClips:
    """Return the raters needed in each dimension, if a system has `clips` in all of them together.

    Results adjust nothing for the number of dimensions, nor does `raters`: one pair in one dimension. `raters_all` is
    for all pairs in every dimension: the studentized range within a dimension, at .05 divided by their number.
    """
    from analysis.stats.planning import ALPHA, raters_for_power
    from analysis.stats.refusals import MIN_TEXTS

    size = inputs.dimensions
    own, each = clips // size, inputs.per_rater / size
    if own < MIN_TEXTS:
        return ByClips(clips=own, raters=None)
    heard = min(each, 1.0)
    if heard < 1 and not plan.is_pair:
        # Some raters hear one system of the pair only, so that their level doesn't cancel: counted as if all did.
        spread = replace(spread, rater=0.0, slope=hypot(spread.rater, spread.slope))
    at = replace(plan, clips=own, per_rater=min(max(each, 1.0), own))

    def raters(systems: int, level: float) -> int | None:
        number = raters_for_power(spread, at, inputs.difference, inputs.power, systems=systems, level=level)
        return None if number is None else ceil(number / heard)

    return ByClips(clips=own, raters=raters(2, 1 - ALPHA), raters_all=raters(inputs.systems, 1 - ALPHA / size))
