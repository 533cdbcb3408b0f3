"""The raters with which a system as good as human speech gets the verdict "not inferior" (rules D3 and D4)."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm, t

from analysis.stats.design import Floats
from analysis.stats.intervals import EDGE, MOST_CORRELATED, NEAR
from analysis.stats.planning import Plan, Spread, least
from analysis.stats.refusals import MIN_RATERS, MIN_TEXTS


def verdict_power(spread: Spread, plan: Plan, margin: float, human: float, *, level: float = 0.95) -> float:
    """Return the share of studies whose interval of the difference ends above −`margin`, if the difference is 0.

    `human` is the place of human speech on the scale, from 0 to 1; the SDs and `margin` are shares of the scale. Near
    an end of the scale the interval is that of `intervals.Difference`: MOVER of both systems' intervals on log-odds.
    """
    expected = spread.of_difference(plan)
    errors, df, probability = expected.draws()
    reach: Floats = t.ppf(0.5 + level / 2, df) * errors
    tail = min(human, 1 - human)
    if tail < EDGE and tail * min(plan.raters, plan.clips) < NEAR:
        own, own_df, _probability = spread.of_mean(plan).draws()
        correlation = np.clip(1 - errors**2 / (2 * own**2), 0.0, MOST_CORRELATED)
        odds = t.ppf(0.5 + level / 2, own_df) * own / (human * (1 - human))
        below, above = human - expit(logit(human) - odds), expit(logit(human) + odds) - human
        reach = np.sqrt(below**2 + above**2 - 2 * correlation * below * above)
    return float(probability @ norm.cdf((margin - reach) / sqrt(expected.true)))


def raters_for_verdict(spread: Spread, plan: Plan, margin: float, human: float, power: float = 0.8) -> int | None:
    """Return the fewest raters with which `power` of studies say "not inferior"; None if more clips are needed."""
    if plan.clips < MIN_TEXTS:
        return None
    number = least(lambda raters: verdict_power(spread, replace(plan, raters=raters), margin, human) >= power)
    return None if number is None else max(number, MIN_RATERS)
