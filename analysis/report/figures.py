"""Everything that a study's page shows, as one JSON value for its snapshot."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from itertools import groupby
from statistics import median
from typing import Any

from analysis.models import Simulated
from analysis.report import scores
from analysis.stats import traps
from raters.selectors import monitor, ratings
from studies.protocols.validity import guesser_rate
from studies.selectors import clips_table, facts, overview
from studies.task_types.base import Row


def compute(*, study_id: int, simulated: Simulated, now: datetime) -> dict[str, Any]:
    """Read a study's figures: about ten SELECTs, 100 bytes of memory a clip and 25 a rating."""
    which = simulated.flag
    definition = overview.definition(overview.study_of(study_id))
    scale = definition.kind.score
    groups = clips_table.groups(study_id)
    rows = scores.Rows.read(ratings.scores(study_id, scale.part, which), groups)
    answered, human = _traps(study_id, scale.part, which)
    times = monitor.minutes(study_id, which)
    return {
        "scale": {"name": scale.name, "low": scale.low, "high": scale.high, "unit": scale.unit},
        "scores": scores.tables(rows, scale),
        "baseline": scores.baseline(rows, scores.Rows.read(human, groups), scale),
        "coverage": coverage(study_id, which),
        "people": monitor.flow(study_id, which),
        "answers": ratings.count(study_id, which),
        "simulated_sessions": monitor.sessions_of(study_id, True).count(),
        "active": monitor.active(study_id, which, now),
        "batches": monitor.batches(study_id, which),
        "guesser": guesser_rate(definition.protocol, definition.kind.options),
        "traps": [
            {"role": found.role, "asked": found.asked, "right": found.right, "share": found.share} for found in answered
        ],
        "minutes": {"median": median(times) if times else None, "sessions": len(times)},
    }


def _traps(study_id: int, part: str, which: bool | None) -> tuple[list[traps.Accuracy], list[ratings.Score]]:
    """Return the accuracy on each kind of trap, and the scores that human traps got."""
    answers: list[tuple[str, bool]] = []
    human: list[ratings.Score] = []
    for _, listed in groupby(ratings.traps(study_id, which), key=lambda row: row.trial):
        trial = list(listed)
        frozen = facts.frozen(trial[0].version)
        answered = [Row(row.part, row.code, row.value) for row in trial]
        answers.append((trial[0].role, frozen.kind.passes(frozen.params, trial[0].role, answered)))
        if trial[0].role == "trap_human":
            human += [
                ratings.Score(row.rater, row.clip, row.value, True)
                for row in trial
                if row.part == part and row.clip is not None and row.value is not None
            ]
    return traps.accuracy(answers, ratings.TRAPS), human


def coverage(study_id: int, which: bool | None) -> dict[str, Any]:
    """Return ratings got and wanted, in all and by system and dimension; what is over an item's number is surplus."""
    got = monitor.usable_by_pool(study_id, which)
    cells: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    usable_of: Counter[int] = Counter()
    places = {}
    # Simulated raters have places of their own for the same items, which are wanted once all the same.
    for place in clips_table.places(study_id, which):
        places[place.item] = place
        usable_of[place.item] += got.get(place.pool, 0)
    for item, place in places.items():
        usable = usable_of[item]
        numbers = (1, place.wanted, usable, min(usable, place.wanted))
        cell = cells[place.system, place.dimension]
        cell[:] = [old + new for old, new in zip(cell, numbers, strict=True)]
    names = ("clips", "wanted", "usable", "filled")
    listed = [
        {"system": system, "dimension": dimension, **dict(zip(names, cell, strict=True))}
        for (system, dimension), cell in sorted(cells.items())
    ]
    return {"cells": listed, **{name: sum(row[name] for row in listed) for name in names}}
