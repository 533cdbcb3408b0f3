"""How human people sound here, and whether a system is as good (rules D2 and D3)."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from analysis.data.groups import HUMAN
from analysis.sections.baseline import Baseline, Versus
from analysis.sections.contrasts.compute import compared
from analysis.sections.inputs import AnalysisInput
from analysis.sections.scores import Group
from analysis.sections.scores.compute import grouped
from analysis.stats import contrasts, twoway
from analysis.stats.design import Design, NotEstimable
from analysis.stats.scores import mean_of_means
from core.text.words import say

NO_MARGIN = say("No margin was fixed before the launch, so that nothing is said on being as good as human speech.")
FROM_TRAPS = say(
    "There are no human test clips: this is how human traps were heard in every full batch, valid or not. Systems are "
    "not compared with it, since other checks were made on those answers."
)


def compute(inputs: AnalysisInput) -> Baseline:
    """Return the human baseline and each system's difference from it."""
    if inputs.scale.low < 0 < inputs.scale.high:
        raise NotEstimable(
            say("The score itself compares each clip with its reference, so there is no baseline beside it.")
        )
    human = next((group for group in grouped(inputs, "system") if group.kind == HUMAN), None)
    margin = inputs.definition.results.margin
    if human is not None:
        note = "" if margin is not None else NO_MARGIN
        systems: list[Versus] = []
        try:
            systems = _versus(inputs, margin)
        except NotEstimable as error:
            note = str(error)
        return Baseline(source="test", human=human, margin=margin, systems=tuple(systems), note=note)
    return Baseline(source="traps", human=_traps(inputs), margin=margin, systems=(), note=FROM_TRAPS)


def _versus(inputs: AnalysisInput, margin: float | None) -> list[Versus]:
    """Compare each system with human speech by its own interval, and judge it only by a margin fixed before."""
    systems = compared(inputs)
    humans = [at for at, (_name, kind) in enumerate(systems.names) if kind == HUMAN]
    if not humans:
        return []
    verdicts = contrasts.against(humans[0], systems.pairs, margin if margin is not None else np.inf)
    return [
        Versus(
            name=systems.names[each.system][0],
            difference=each.difference,
            low=each.low,
            high=each.high,
            verdict=each.verdict if margin is not None else "",
        )
        for each in verdicts
    ]


def _traps(inputs: AnalysisInput) -> Group:
    answers = inputs.facts.human_traps
    if not answers.score:
        raise NotEstimable(say("There are neither human test clips nor answers to human traps."))
    scores = np.asarray(answers.score)
    ratings = Design.of(scores, answers.rater, np.zeros(len(scores)), answers.clip)
    interval = twoway.intervals(twoway.means(ratings), low=inputs.scale.low, high=inputs.scale.high)[0]
    raters = np.unique(answers.rater, return_inverse=True)[1].reshape(-1)
    clip_mean = mean_of_means(scores, np.asarray(answers.clip))
    return Group(
        name=HUMAN,
        kind=HUMAN,
        system="",
        **asdict(interval),
        clips=len(set(answers.clip)),
        sd=float(scores.std(ddof=1)) if len(scores) > 1 else 0.0,
        clip_mean=clip_mean,
        equal_mean=interval.mean,
        is_apart=False,
        comparisons=twoway.comparisons(scores, raters) if len(scores) > 1 else (),
        without_traps=interval.mean,
        without_traps_ratings=len(scores),
        shares={},
    )
