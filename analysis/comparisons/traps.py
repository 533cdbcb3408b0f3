"""Trap clips as a yes/no test of a metric: is this a human? (ATT paper, Figure 3; rule F1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.comparisons.machine import Array, Machine
from analysis.sections.shared import Refusal
from analysis.stats.design import NotEstimable
from analysis.stats.figures import YesNo
from analysis.stats.machines import THRESHOLD, auc, yes_no
from studies.clips.queries import Labels

HUMAN = "trap_human"
ROLES = (HUMAN, "trap_flawed")
NO_SCALE = (
    "Nobody has said which scale these values have, so there is no threshold at its middle: give both ends of the "
    "scale, such as 1 and 5. AUC needs none."
)


@dataclass(frozen=True, slots=True)
class TrapTest:
    """The trap clips with a value, by file: raw and mapped to 0 … 1; AUC, and the figures at 0.5.

    `asked` counts all trap clips. `at_half` counts the clips at exactly 0.5, which are called human.
    """

    asked: int
    clips: Sequence[int]
    human: NDArray[np.bool_]
    values: Array
    mapped: Array | None
    auc: float | None
    at: YesNo | Refusal
    at_half: int | None


def trap_test(machine: Machine, labels: Mapping[int, Labels]) -> TrapTest:
    """Test a metric on the study's trap clips."""
    traps = [clip for clip, label in labels.items() if label.groups.role in ROLES]
    clips = sorted((clip for clip in traps if clip in machine.values), key=lambda clip: labels[clip].file)
    values = np.array([machine.values[clip] for clip in clips], dtype=np.float64)
    human = np.array([labels[clip].groups.role == HUMAN for clip in clips], dtype=np.bool_)
    mapped = machine.mapped(values)
    area: float | None
    at: YesNo | Refusal
    try:
        area = auc(machine.sign * values, human)
        at = Refusal(refused=NO_SCALE) if mapped is None else yes_no(mapped, human)
    except NotEstimable as error:
        area, at = None, Refusal(refused=str(error))
    at_half = None if mapped is None else int((mapped == THRESHOLD).sum())
    return TrapTest(len(traps), clips, human, values, mapped, area, at, at_half)
