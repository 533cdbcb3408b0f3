"""All pairs of systems, tiers, and the probabilities of ranks (rule D7)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from analysis.sections.contrasts import Contrasts, Tier
from analysis.sections.inputs import AnalysisInput, Name, called, design_of
from analysis.stats import contrasts, refusals, twoway
from analysis.stats.design import Design, NotEstimable
from analysis.stats.figures import Contrast
from analysis.stats.refusals import MIN_CLIPS, MIN_RATERS
from analysis.stats.twoway import Means
from core.text.words import say, say_list


@dataclass(frozen=True, slots=True)
class Compared:
    """The systems that can be compared, their clustered means, and all pairs of them."""

    names: list[Name]
    means: Means
    pairs: tuple[Contrast[int], ...]
    left_out: list[str]


def compared(inputs: AnalysisInput) -> Compared:
    """Compare a study's systems, human speech among them."""
    rows = inputs.compared
    if not len(rows):
        raise NotEstimable(say("No rating counts yet."))
    design, names = design_of(rows)
    return of_design(design, names, inputs.rng("contrasts"))


def of_design(design: Design, names: list[Name], rng: np.random.Generator) -> Compared:
    """Compare the systems that have raters and clips enough; NotEstimable below two of them."""
    if len(names) < 2:
        raise NotEstimable(
            say(
                "Only one system was rated ({system}), so there is nothing to compare it with.",
                system=called(names[0][0]),
            )
        )
    if not np.ptp(design.score):
        raise NotEstimable(str(refusals.SAME))
    few = refusals.of_systems(design)
    left_out = [names[system][0] for system in few]
    if design.systems - len(few) < 2:
        raise NotEstimable(
            say(
                "A comparison needs two systems; {systems} have fewer than {raters} raters or {clips} clips, or one "
                "same answer only.",
                systems=say_list(*map(called, left_out)),
                raters=MIN_RATERS,
                clips=MIN_CLIPS,
            )
        )
    if few:
        design = design.where(~np.isin(design.system, list(few)))
        names = [name for system, name in enumerate(names) if system not in few]
    means = twoway.means(design)
    return Compared(names, means, contrasts.of_means(means, rng), left_out)


def compute(inputs: AnalysisInput) -> Contrasts:
    """Return all pairs with simultaneous intervals, letters, and rank probabilities from joint draws."""
    return of_systems(compared(inputs), inputs.rng("ranks"))


def of_systems(systems: Compared, rng: np.random.Generator) -> Contrasts:
    """Return comparisons with letters, and rank probabilities drawn by `rng`."""
    letters = contrasts.letters(systems.means.mean, systems.pairs)
    draws = contrasts.joint(systems.means.mean, systems.means.covariance, rng)
    ranks = contrasts.ranks(draws)
    tiers = [
        Tier(
            name=name,
            kind=kind,
            mean=float(systems.means.mean[at]),
            letters=letters[at],
            ranks=tuple(float(share) for share in ranks[at]),
        )
        for at, (name, kind) in enumerate(systems.names)
    ]
    return Contrasts(
        pairs=tuple(
            Contrast(**{**asdict(each), "first": systems.names[each.first][0], "second": systems.names[each.second][0]})
            for each in systems.pairs
        ),
        tiers=tuple(sorted(tiers, key=lambda tier: (-tier.mean, tier.name))),
        left_out=tuple(systems.left_out),
        scope=systems.means.scope,
        ranks_from="joint Normal draws of the means, with the variance by raters and clips",
    )
