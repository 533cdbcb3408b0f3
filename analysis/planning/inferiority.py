"""The raters and texts for "not inferior to human speech" at the study's margin."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.planning.clip_rows import until_enough
from analysis.planning.inputs import PowerInputs
from analysis.planning.result import ByClips, Verdict
from core.errors import Invalid

if TYPE_CHECKING:
    from analysis.stats.latent import Curve
    from analysis.stats.planning import LatentSpread, Plan, Spread
    from studies.definition.definition import Definition
    from studies.task_types.base import ScoreScale

# The 95 % quantile of χ² with one degree of freedom, for Wilson's interval.
WILSON = 3.8415
# Where human speech is on the scale, from its worse end, if no score is entered.
USUAL = 0.9
# Closer to an end of the scale than this, the floor for perfect speech applies.
CERTAIN = 0.01


def human_score(inputs: PowerInputs, scale: ScoreScale) -> float:
    """Return the expected score of human speech; raises `Invalid` outside the scale."""
    if inputs.human is None:
        return scale.low + (USUAL if scale.sign > 0 else 1 - USUAL) * (scale.high - scale.low)
    if not scale.low < inputs.human < scale.high:
        text = _("{score} must lie between {least} and {most}, the ends of the scale of {name}.")
        ends = {"score": inputs.human, "least": scale.low, "most": scale.high}
        message = text.format(name=scale.name, **{name: f"{scale.factor * end:g}" for name, end in ends.items()})
        raise Invalid(message, {"human": message})
    return inputs.human


def at_ceiling(margin: float) -> int:
    """Return the fewest raters, and texts, for "not inferior" if a system and human speech always pass (rule D4).

    `margin` is a share of the scale. Wilson's interval of n perfect ratings ends at n / (n + z²), and must end above
    1 − margin.
    """
    return ceil(WILSON * (1 - margin) / margin)


def verdict(
    inputs: PowerInputs,
    definition: Definition,
    plan: Plan,
    *,
    learnt: tuple[Curve, LatentSpread] | None,
    spread: Spread,
) -> Verdict | None:
    """Return what "not inferior" takes by number of clips; None if results give no such verdict.

    `learnt` gives the SDs at the score of human speech; without it, they are those of `spread`.
    """
    from analysis.stats.design import NotEstimable
    from analysis.stats.non_inferiority import raters_for_verdict

    scale, margin = definition.kind.score, definition.results.margin
    if margin is None or plan.is_pair or scale.low < 0 < scale.high:
        return None
    share, length, human = margin / scale.width, scale.high - scale.low, human_score(inputs, scale)
    if learnt is not None:
        curve, crowd = learnt
        try:
            latent = curve.place(crowd, human)
        except NotEstimable:
            if inputs.human is not None:
                raise
            return Verdict(margin=margin, at_ceiling=at_ceiling(share))
        spread = curve.spread(crowd, (latent, latent))
    shares, place, floor = spread.times(1 / length), (human - scale.low) / length, at_ceiling(share)

    def row(clips: int) -> ByClips:
        raters = raters_for_verdict(shares, replace(plan, clips=clips), share, place, inputs.power)
        if min(place, 1 - place) >= CERTAIN or raters is None:
            return ByClips(clips=clips, raters=raters)
        # Many such studies have no failure at all.
        return ByClips(clips=clips, raters=max(raters, floor) if clips >= floor else None)

    return Verdict(margin=margin, at_ceiling=floor, human=human, by_clips=until_enough(inputs, row, "raters"))
