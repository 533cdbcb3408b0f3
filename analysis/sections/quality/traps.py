"""Answers to traps, and scores of human traps, over every full batch, valid or not (rule D2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from raters.rating import ratings
from raters.rating.monitor import Versions
from studies.definition import facts
from studies.task_types.base import AnswerRow


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many traps of a kind were answered, and how many correctly."""

    role: str
    asked: int
    right: int

    @property
    def share(self) -> float | None:
        """right / asked, in [0, 1]; None if none was asked."""
        return self.right / self.asked if self.asked else None


def accuracy(answers: Iterable[tuple[str, bool]], roles: Iterable[str]) -> list[Accuracy]:
    """Count (role, is correct) pairs for each of `roles`."""
    totals = dict.fromkeys(roles, 0)
    right = dict.fromkeys(totals, 0)
    for role, is_right in answers:
        totals[role] += 1
        right[role] += is_right
    return [Accuracy(role, totals[role], right[role]) for role in totals]


def answered(
    study_id: int, part: str, which: bool | None, versions: Versions = None
) -> tuple[list[Accuracy], list[ratings.TestScore]]:
    """Return the accuracy on each kind of trap, and the scores (of this part) of human traps."""
    answers: list[tuple[str, bool]] = []
    human: list[ratings.TestScore] = []
    traps: defaultdict[tuple[int, int], list[ratings.TrapRow]] = defaultdict(list)
    for row in ratings.traps(study_id, which, versions):
        traps[row.batch, row.item].append(row)
    for trial in traps.values():
        frozen = facts.frozen(trial[0].version)
        rows = [AnswerRow(row.part, row.code, row.value) for row in trial]
        if not frozen.kind.is_judged(frozen.params, rows):
            continue
        answers.append((trial[0].role, frozen.kind.passes(frozen.params, trial[0].role, rows)))
        if trial[0].role == "trap_human":
            human += [
                ratings.TestScore(row.rater, row.clip, row.value, True, row.trial)
                for row in trial
                if row.part == part and row.clip is not None and row.value is not None
            ]
    return accuracy(answers, ratings.TRAPS), human
