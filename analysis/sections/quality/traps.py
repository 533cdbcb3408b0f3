"""How traps were answered, and what score human traps got, over every full batch, valid or not (rule D2)."""

from __future__ import annotations

from itertools import groupby

from analysis.stats import traps
from raters.rating import ratings
from raters.rating.monitor import Versions
from studies.definition import facts
from studies.task_types.base import AnswerRow


def answered(
    study_id: int, part: str, which: bool | None, versions: Versions = None
) -> tuple[list[traps.Accuracy], list[ratings.TestScore]]:
    """Return the accuracy on each kind of trap, and the scores (of this part) that human traps got."""
    answers: list[tuple[str, bool]] = []
    human: list[ratings.TestScore] = []
    for _, listed in groupby(ratings.traps(study_id, which, versions), key=lambda row: row.trial):
        trial = list(listed)
        frozen = facts.frozen(trial[0].version)
        rows = [AnswerRow(row.part, row.code, row.value) for row in trial]
        answers.append((trial[0].role, frozen.kind.passes(frozen.params, trial[0].role, rows)))
        if trial[0].role == "trap_human":
            human += [
                ratings.TestScore(row.rater, row.clip, row.value, True, row.trial)
                for row in trial
                if row.part == part and row.clip is not None and row.value is not None
            ]
    return traps.accuracy(answers, ratings.TRAPS), human
