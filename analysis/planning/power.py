"""Planning before a study: power by number of raters, from simulated studies or from SDs, and the effort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from math import ceil, sqrt
from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext as _

from analysis.planning.answers import ScoreSamples, is_shared, learn
from analysis.planning.clip_rows import until_enough
from analysis.planning.costs import costs
from analysis.planning.dimensions import by_dimension
from analysis.planning.inferiority import verdict
from analysis.planning.inputs import PowerInputs
from analysis.planning.result import ByClips, PowerPoint, PowerResults, Sds, Takes
from core.errors import Invalid
from core.rng import seeded
from core.spec import Spec

if TYPE_CHECKING:
    from analysis.stats.planning import LatentSpread, Plan, Power, Spread
    from studies.clips.figures import Group
    from studies.definition.definition import Definition
    from studies.task_types.base import ScoreScale

# The range of raters for which studies are simulated.
FIRST, MOST = 10, 1280
# The share of raters who answer at random in the sentence on what they cost.
CARELESS = 0.2

Report = Callable[[int, int], None]


def expected(inputs: PowerInputs, scale: ScoreScale, *, is_pair: bool = False) -> tuple[float, float]:
    """Return the expected scores of the lower and the higher system; raises `Invalid` outside the scale.

    With `is_pair`, the mean answers without a preference and with the one to find.
    """
    middle = (scale.low + scale.high - (0.0 if is_pair else inputs.difference)) / 2
    low = middle if inputs.level is None or is_pair else inputs.level
    high = low + inputs.difference
    if not scale.low < low < high < scale.high:
        text = _("{low} and {high} must lie between {least} and {most}, the ends of the scale of {name}.")
        ends = {"low": low, "high": high, "least": scale.low, "most": scale.high}
        words = {name: f"{scale.factor * value:g}" for name, value in ends.items()}
        message = text.format(name=scale.name, **words)
        raise Invalid(message, {"level" if inputs.level is not None else "difference": message})
    return low, high


def compute(inputs: PowerInputs, definition: Definition, report: Report, groups: Sequence[Group] = ()) -> PowerResults:
    """Return the power curve, the raters needed and their effort; takes a minute or two if studies are simulated.

    `groups` are the study's clips, for minutes and pay. Raises NotEstimable, with a sentence for users, if the task
    can't give such scores.
    """
    from analysis.stats.planning import LatentSpread, Plan, raters_for_power

    is_pair, systems = definition.kind.contests, inputs.systems
    targets = expected(inputs, definition.kind.score, is_pair=is_pair)
    crowd, simulation, learnt = LatentSpread().of_pairs if is_pair else LatentSpread(), None, None
    if inputs.spread == "task":
        answers = learn(definition.kind, definition.params, seeded("answers", inputs.seed))
        curve = answers.curve
        learnt = (curve, crowd)
        places = curve.place(crowd, targets[0]), curve.place(crowd, targets[1])
        spread = curve.spread(crowd, places)
        shown = (places[1:], targets[0]) if is_pair else (places, 0.0)
        simulation = _Simulation(answers, crowd, *shown)
    else:
        spread = _spread(inputs)
    plan = Plan(FIRST, inputs.clips, inputs.per_rater, is_pair)
    needed, needed_all = (
        raters_for_power(spread, plan, inputs.difference, inputs.power, systems=of) for of in (2, systems)
    )
    sizes, scale = _sizes(needed, needed_all), definition.kind.score
    return PowerResults(
        expected=targets,
        spread=Sds(**asdict(spread)),
        is_simulated=simulation is not None,
        points=_points(inputs, spread, plan, sizes, systems, simulation, report),
        pairs=systems * (systems - 1) // 2,
        needed=needed,
        needed_all=needed_all,
        takes_all=None if needed_all is None else takes(inputs, definition, needed_all, groups),
        best_all=None if needed_all is not None else _ceiling(inputs, spread, plan).all_pairs,
        takes=None if needed is None else takes(inputs, definition, needed, groups),
        by_clips=until_enough(inputs, lambda clips: _by_clips(inputs, spread, plan, clips), "raters_all"),
        by_dimension=until_enough(inputs, lambda clips: by_dimension(inputs, spread, plan, clips), "raters_all")
        if inputs.dimensions > 1
        else (),
        best=None if needed is not None else _ceiling(inputs, spread, plan).power,
        careless=None if needed is None else _with_careless(inputs, spread, replace(plan, raters=needed), scale),
        verdict=verdict(inputs, definition, plan, learnt=learnt, spread=spread),
    )


class _Simulation(NamedTuple):
    """How studies are simulated; `null` is the mean answer without a preference, for pairs."""

    answers: ScoreSamples
    crowd: LatentSpread
    places: tuple[float, ...]
    null: float


def _points(
    inputs: PowerInputs,
    spread: Spread,
    plan: Plan,
    sizes: list[int],
    systems: int,
    simulation: _Simulation | None,
    report: Report,
) -> tuple[PowerPoint, ...]:
    """Return the power of each number of raters, by formula and, with a `simulation`, by simulated studies."""
    import numpy as np

    from analysis.stats.planning import closed, simulated

    rng = np.random.default_rng(inputs.seed)
    points = []
    for done, raters in enumerate(sizes):
        report(done, len(sizes))
        at = replace(plan, raters=raters)
        by_formula = closed(spread, at, inputs.difference, systems=systems)
        result = by_formula
        if simulation is not None:
            answers, crowd, places, null = simulation
            result = simulated(answers, crowd, at, places, rng, studies=inputs.studies, systems=systems, null=null)
        points.append(
            PowerPoint(
                raters=raters,
                formula=by_formula.power,
                power=result.power,
                error=result.error,
                formula_all=by_formula.all_pairs,
                power_all=result.all_pairs,
                error_all=result.all_pairs_error,
            )
        )
    return tuple(points)


def _with_careless(inputs: PowerInputs, spread: Spread, plan: Plan, scale: ScoreScale) -> float:
    """Return the power by formula if some raters answer at random, all answers of the scale being as likely."""
    from analysis.stats.planning import closed

    chance = max((scale.high - scale.low) / sqrt(12), spread.residual)
    mixed = spread.with_careless(CARELESS, inputs.difference, chance, is_pair=plan.is_pair)
    return closed(mixed, plan, (1 - CARELESS) * inputs.difference).power


def takes(inputs: PowerInputs, definition: Definition, raters: int, groups: Sequence[Group] = ()) -> Takes:
    """Return the effort for usable ratings of this many raters."""
    protocol = definition.protocol
    # A rater rates clips of each system (a screen has one of each), or pairs of each two systems.
    rated = pairs_of(definition.params, inputs.systems) if definition.kind.contests else inputs.systems
    is_screen = not definition.kind.contests and is_shared(definition.kind, definition.params)
    tests = inputs.per_rater * (1 if is_screen else rated)
    capacity = protocol.tests_per_batch * protocol.batches_per_session
    ratings = raters * rated * inputs.per_rater
    answered = raters * tests / (1 - inputs.invalid)
    people, sessions_each = ceil(raters / (1 - inputs.invalid)), ceil(tests / capacity)
    passes = definition.kind.pass_count(definition.params)
    return Takes(
        ratings=ratings,
        tests_each=tests,
        sessions_each=sessions_each,
        capacity=capacity,
        raters=people,
        invited=ceil(raters / (1 - inputs.invalid) / (1 - inputs.lost)),
        answers=ceil(answered * passes * protocol.batch_size / protocol.tests_per_batch),
        ratings_a_clip=ratings / (rated * inputs.clips),
        ratings_wanted=protocol.ratings_wanted,
        costs=costs(definition, groups, people * sessions_each),
    )


def pairs_of(params: Spec, systems: int) -> int:
    """Return how many pairs of systems are compared."""
    return systems - 1 if getattr(params, "pairs", "") == "baseline" else systems * (systems - 1) // 2


def _sizes(*needed: int | None) -> list[int]:
    """Return the numbers of raters to try: doubling up to one step beyond those needed, and the needed ones."""
    last = min(max(2 * max(number or MOST for number in needed), 4 * FIRST), MOST)
    sizes = {FIRST * 2**step for step in range(8) if FIRST * 2**step <= last}
    return sorted(sizes | {number for number in needed if number is not None and number <= MOST})


def _spread(inputs: PowerInputs) -> Spread:
    from analysis.stats.planning import Spread

    return Spread(inputs.sd_rater, inputs.sd_slope, inputs.sd_clip, inputs.sd_residual)


def _by_clips(inputs: PowerInputs, spread: Spread, plan: Plan, clips: int) -> ByClips:
    from analysis.stats.planning import raters_for_power

    at = replace(plan, clips=clips)
    raters, raters_all = (
        raters_for_power(spread, at, inputs.difference, inputs.power, systems=of) for of in (2, inputs.systems)
    )
    return ByClips(clips=clips, raters=raters, raters_all=raters_all)


def _ceiling(inputs: PowerInputs, spread: Spread, plan: Plan) -> Power:
    """Return the power for an unlimited number of raters: only the clips limit it."""
    from analysis.stats.planning import closed

    return closed(spread, replace(plan, raters=100_000), inputs.difference, systems=inputs.systems)
