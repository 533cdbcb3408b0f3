"""All pairs of systems, tiers, and the probabilities of ranks (rule D7)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from analysis.sections.contrasts import Contrasts, Tier
from analysis.sections.inputs import AnalysisInput, Name, called, design_of, left_out_notes
from analysis.stats import contrasts
from analysis.stats.design import Design, Floats, NotEstimable
from analysis.stats.figures import Contrast
from analysis.stats.refusals import few_raters
from analysis.stats.twoway import Means, means
from core.text.words import joined, say


@dataclass(frozen=True, slots=True)
class Compared:
    """The systems compared, their clustered means and covariance, and all pairs of them.

    `left_out` is {system: why it may have no interval}, `sign` is −1 where less is better.
    """

    names: list[Name]
    means: Means
    covariance: Floats
    pairs: tuple[Contrast[int], ...]
    left_out: dict[Name, str]
    sign: int = 1


def compared(inputs: AnalysisInput) -> Compared:
    """Compare a study's systems, including human speech."""
    rows = inputs.compared
    if not len(rows):
        raise NotEstimable(say("No rating counts yet."))
    design, names = design_of(rows)
    return of_design(design, names, low=inputs.scale.low, high=inputs.scale.high, sign=inputs.scale.sign)


def of_design(design: Design, names: list[Name], *, low: float, high: float, sign: int = 1) -> Compared:
    """Compare the systems that may have an interval, for scores in [`low`, `high`]; NotEstimable for fewer than two.

    `sign` is −1 where less is better.
    """
    if len(names) < 2:
        raise NotEstimable(
            say(
                "Only one system was rated ({system}), so there is nothing to compare it with.",
                system=called(names[0][0]),
            )
        )
    group_means = means(design)
    refusals = {system: group_means.refusal(row) for system, row in enumerate(np.eye(design.systems))}
    few = {system: refusal for system, refusal in refusals.items() if refusal is not None}
    left_out = {names[system]: str(refusal) for system, refusal in few.items()}
    if design.systems - len(few) < 2:
        raise NotEstimable(joined(say("A comparison needs two systems."), *left_out_notes(left_out)))
    if few:
        names = [name for system, name in enumerate(names) if system not in few]
        group_means = means(design.where(~np.isin(design.system, list(few))))
    return Compared(
        names,
        group_means,
        contrasts.covariance(group_means, low=low, high=high),
        contrasts.all_pairs(group_means, low=low, high=high),
        left_out,
        sign,
    )


def compute(inputs: AnalysisInput) -> Contrasts:
    """Return all pairs with simultaneous intervals, letters, and rank probabilities from joint draws."""
    return of_systems(inputs.once(compared), inputs.rng("ranks"))


def of_systems(systems: Compared, rng: np.random.Generator) -> Contrasts:
    """Return pairs with letters, and rank probabilities drawn by `rng`."""
    letters = contrasts.letters(systems.sign * systems.means.mean, systems.pairs)
    draws = contrasts.joint(systems.means.mean, systems.covariance, rng)
    ranks = contrasts.ranks(systems.sign * draws)
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
        tiers=tuple(sorted(tiers, key=lambda tier: (-systems.sign * tier.mean, tier.name))),
        left_out=tuple(name for name, _kind in systems.left_out),
        notes=(*left_out_notes(systems.left_out), *_few_raters(systems)),
        scope=systems.means.scope,
        ranks_from="joint Normal draws of the means, with the variances of their intervals",
    )


def _few_raters(systems: Compared) -> list[str]:
    """Note the systems with only 5 to 9 raters (rule D4)."""
    marks = (
        (name, few_raters(systems.means.counts(row)[0]))
        for (name, _kind), row in zip(systems.names, np.eye(len(systems.names)), strict=True)
    )
    return [say("{name}: {note}", name=called(name), note=mark) for name, mark in marks if mark]
