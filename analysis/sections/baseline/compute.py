"""The score of human speech, and whether systems match it (rules D2 and D3)."""

from __future__ import annotations

import numpy as np

from analysis.data.groups import HUMAN
from analysis.sections.baseline import Baseline, Versus
from analysis.sections.contrasts.compute import compared
from analysis.sections.inputs import AnalysisInput, left_out_notes
from analysis.sections.scores import Group
from analysis.sections.scores.compute import grouped
from analysis.stats import contrasts, intervals
from analysis.stats.design import Design, NotEstimable
from analysis.stats.scores import mean_of_means
from analysis.stats.twoway import means
from core.text.words import joined, say

NO_MARGIN = say("No margin was set before the launch, so there is no verdict against human speech.")
TOO_WIDE = say("The margin fixed before the launch is not smaller than half the scale, so that no verdict is given.")
FROM_TRAPS = say(
    "There are no human test clips: this is how human traps were heard in every full batch, valid or not. Systems are "
    "not compared with it, since other checks were made on those answers."
)


def compute(inputs: AnalysisInput) -> Baseline:
    """Return the human baseline and each system's difference from it."""
    if inputs.facts.over is not None:
        raise NotEstimable(say("The score itself compares systems, so there is no baseline beside it."))
    if inputs.scale.low < 0 < inputs.scale.high:
        raise NotEstimable(
            say("The score itself compares each clip with its reference, so there is no baseline beside it.")
        )
    human = next((group for group in grouped(inputs, "system") if group.kind == HUMAN), None)
    margin = inputs.margin
    if human is not None:
        systems, notes = _versus(inputs, margin)
        return _baseline(inputs, "test", human, systems, joined(*notes))
    return _baseline(inputs, "traps", _traps(inputs), [], FROM_TRAPS)


def _baseline(inputs: AnalysisInput, source: str, human: Group, systems: list[Versus], note: str) -> Baseline:
    reason = inputs.definition.results.margin_reason
    fields = {"margin_reason": reason} if reason and inputs.margin is not None else {}
    return Baseline(source=source, human=human, margin=inputs.margin, systems=tuple(systems), note=note, **fields)


def _versus(inputs: AnalysisInput, margin: float | None) -> tuple[list[Versus], list[str]]:
    """Compare each system with human speech by its own interval; verdicts only by a margin fixed in advance.

    Also return notes: why there is no verdict or comparison, and the level of each verdict.
    """
    try:
        systems = inputs.once(compared)
    except NotEstimable as error:
        return [], [str(error)]
    humans = [at for at, (_name, kind) in enumerate(systems.names) if kind == HUMAN]
    if not humans:
        reasons = {name: reason for name, reason in systems.left_out.items() if name[1] == HUMAN}
        return [], left_out_notes(reasons)
    is_judged = margin is not None and margin < inputs.width / 2
    known_margin = margin if margin is not None and is_judged else np.inf
    verdicts = contrasts.against(humans[0], systems.pairs, known_margin, sign=systems.sign)
    rows = [
        Versus(
            name=systems.names[each.system][0],
            difference=each.difference,
            low=each.low,
            high=each.high,
            verdict=each.verdict if is_judged else "",
        )
        for each in verdicts
    ]
    left_out = left_out_notes({name: reason for name, reason in systems.left_out.items() if name[1] != HUMAN})
    if not is_judged:
        return rows, [NO_MARGIN if margin is None else TOO_WIDE, *left_out]
    return rows, [say("Each of the {n} verdicts is at 2.5 %.", n=len(rows)) if len(rows) > 1 else "", *left_out]


def _traps(inputs: AnalysisInput) -> Group:
    answers = inputs.facts.human_traps
    if not answers.score:
        if not len(inputs.tests):
            raise NotEstimable(say("No rating counts yet."))
        raise NotEstimable(say("There are neither human test clips nor answers to human traps."))
    scores = np.asarray(answers.score)
    ratings = Design.of(scores, answers.rater, np.zeros(len(scores)), answers.clip)
    interval = intervals.intervals(means(ratings), low=inputs.scale.low, high=inputs.scale.high)[0]
    raters = np.unique(answers.rater, return_inverse=True)[1].reshape(-1)
    clip_mean = mean_of_means(scores, np.asarray(answers.clip))
    return Group(
        name=HUMAN,
        kind=HUMAN,
        system="",
        **intervals.measured(interval),
        clips=len(set(answers.clip)),
        sd=float(scores.std(ddof=1)) if len(scores) > 1 else 0.0,
        clip_mean=clip_mean,
        equal_mean=interval.mean,
        is_apart=False,
        comparisons=intervals.comparisons(scores, raters) if len(scores) > 1 else (),
        without_traps=interval.mean,
        without_traps_ratings=len(scores),
        shares={},
    )
