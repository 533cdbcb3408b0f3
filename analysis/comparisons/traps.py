"""Trap clips as a yes/no test: is this a human? (ATT paper, Figure 3; rule F1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from analysis.comparisons.machine import Machine
from analysis.stats import machines
from analysis.stats.design import NotEstimable
from studies.clips.queries import Labels

ROLES = ("trap_human", "trap_flawed")
NO_SCALE = (
    "Nobody has said which scale these values have, so there is no threshold at its middle: give both ends of the "
    "scale, such as 1 and 5. AUC needs none."
)


def figures(machine: Machine, labels: Mapping[int, Labels]) -> dict[str, Any]:
    """Return the traps' values by role, AUC, and where there is a scale the figures at its middle, or why not."""
    traps = [clip for clip, label in labels.items() if label.groups.role in ROLES]
    clips = sorted((clip for clip in traps if clip in machine.values), key=lambda clip: labels[clip].file)
    values = np.array([machine.values[clip] for clip in clips])
    human = np.array([labels[clip].groups.role == "trap_human" for clip in clips], dtype=np.bool_)
    mapped = machine.mapped(values)
    results: dict[str, Any] = {
        "asked": len(traps),
        "scored": len(clips),
        "human": values[human].tolist(),
        "flawed": values[~human].tolist(),
        "mapped_human": None if mapped is None else mapped[human].tolist(),
        "mapped_flawed": None if mapped is None else mapped[~human].tolist(),
    }
    try:
        results["auc"] = machines.auc(machine.sign * values, human)
        results["at"] = {"refused": NO_SCALE} if mapped is None else asdict(machines.yes_no(mapped, human))
    except NotEstimable as error:
        results |= {"auc": None, "at": {"refused": str(error)}}
    return results
