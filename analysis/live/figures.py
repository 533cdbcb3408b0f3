"""All figures of the Results page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from statistics import median
from typing import Any

import numpy as np

from analysis.data import reasons, sides
from analysis.data.groups import LABELS, ClipTable, system
from analysis.data.groups import kind as kind_of
from analysis.data.models import Simulated
from analysis.live import parts, scores
from analysis.live.result import (
    SCHEMA,
    Batches,
    Coverage,
    CoverageCell,
    Figures,
    Flow,
    Minutes,
    Notes,
    QuotaWanted,
    RaterRule,
    Scored,
    TrapAnswers,
)
from analysis.sections.breakdowns import Breakdown
from analysis.sections.breakdowns import compute as breakdowns_compute
from analysis.sections.shared import Scale
from analysis.sections.times import compute as times_compute
from core import garbage
from raters.live import rows as live_rows
from raters.live.rows import Reader
from raters.rating import monitor
from studies.clips import tables as clips_tables
from studies.clips.tables import Groups
from studies.decisions.queue import MOST_COUNTED
from studies.definition import queries as definition_queries
from studies.definition.definition import Definition
from studies.pool import queries as pool_queries
from studies.rules.parameters import Protocol
from studies.rules.validity import guesser_rate
from studies.task_types.base import TaskType

COUNTS = ("clips", "wanted", "usable", "filled", "reopened")
ASKED = {"trap_flawed": "flawed_traps", "trap_human": "human_traps"}


def compute(*, study_id: int, simulated: Simulated, now: datetime) -> Figures:
    """Read all answers of a study, some sessions at a time, and compute its figures. Loads the statistics."""
    which = simulated.flag
    definition = definition_queries.definition(definition_queries.study_of(study_id))
    with garbage.new_alone():
        reader = Reader(study_id, which)
        whole = parts.merged(
            parts.read(reader, sessions, definition) for sessions in live_rows.ranges(study_id, which, parts.SIZE)
        )
    return Figures(
        **work(study_id, simulated, definition, whole, now), **scored(study_id, which, definition, whole, now)
    )


def work(
    study_id: int, simulated: Simulated, definition: Definition, whole: parts.Part, now: datetime
) -> dict[str, Any]:
    """Return the fields of `Figures` on the progress of the collection; needs no rows of `whole`."""
    kind, protocol, counts, minutes = definition.kind, definition.protocol, whole.counts, whole.minutes
    return {
        "version": SCHEMA,
        "scale": Scale.of(kind.score),
        "first_raters": protocol.ratings_wanted if protocol.most_ratings else None,
        "quota_wanted": QuotaWanted(raters=protocol.quota_raters, utterances=protocol.quota_utterances),
        "people": Flow(**{name: counts[name] for name in Flow.model_fields}),
        "answers": counts["answers"],
        **monitor.not_counted(study_id),
        "active": live_rows.active(study_id, simulated.flag, now),
        "batches": Batches(**{name: counts[name] for name in Batches.model_fields}),
        "guesser": guesser_rate(protocol, kind.guessed),
        "traps": tuple(
            TrapAnswers(role=trap.role, asked=trap.asked, right=trap.right, share=trap.share)
            for trap in (parts.accuracy(counts) if kind.traps else ())
            if trap.asked or getattr(protocol, ASKED[trap.role])
        ),
        "rule": rule(definition, counts),
        "review_pending": reasons.reviews_pending(study_id, simulated, most=MOST_COUNTED),
        "minutes": Minutes(median=median(minutes) if minutes else None, sessions=len(minutes)),
    }


def scored(
    study_id: int, which: bool | None, definition: Definition, whole: parts.Part, now: datetime
) -> dict[str, Any]:
    """Return the fields of `Figures` that need the rows of `whole`: scores, models, times and coverage."""
    from analysis.live import fitting

    kind, protocol, scale = definition.kind, definition.protocol, definition.kind.score
    groups = clips_tables.groups(study_id)
    about = ClipTable(groups)
    known = sides.sides_of(study_id, kind)
    table, has_several = whole.arrays["scores"], known is not None and known.baseline is None
    if known is not None and has_several:
        others = np.array([known.others[item] for item in whole.arrays["items"]["item"].tolist()], dtype=np.int64)
        table = scores.both_sides(table, others, scale)
    rows = scores.RatingColumns.of_table(table, about)
    human = scores.RatingColumns.of_table(whole.arrays["human"], about)
    first = monitor.first_answers(study_id, which, protocol.ratings_wanted) if protocol.most_ratings else None
    has_quota = protocol.quota_raters or protocol.quota_utterances
    return {
        "scored": Scored(at=now, answers=whole.counts["answers"]),
        "over": None if known is None else known.name,
        "scores": scores.tables(rows, scale, first, scores.OF_ONE if has_several else tuple(LABELS)),
        "crossed": scores.crossed(rows, scale),
        **fitting.models(
            rows,
            scale,
            no_model=sides.IN_PAIRS if has_several else sides.IN_SETS if kind.sets else "",
            no_contrasts=sides.IN_PAIRS if has_several else "",
        ),
        "baseline": scores.baseline(rows, human, scale) if known is None else None,
        "breakdowns": () if has_several else tuple(breakdowns(kind, whole, groups)),
        "notes": Notes.model_validate(notes(whole.arrays["notes"], groups)),
        "quota": scores.quota(rows) if has_quota else None,
        "times": tuple(times_compute.of_rows(whole.arrays["times"], about)),
        "coverage": coverage(study_id, which, protocol, usable_by_pool(whole), is_pooled=has_several),
    }


def usable_by_pool(whole: parts.Part) -> dict[int, int]:
    """Return {place: number of usable answers}."""
    places = whole.arrays["places"]
    pools, at = np.unique(places["pool"], return_inverse=True)
    numbers = np.bincount(at.reshape(-1), weights=places["number"], minlength=len(pools)).astype(np.int64)
    return dict(zip(pools.tolist(), numbers.tolist(), strict=True))


def breakdowns(kind: TaskType[Any, Any], whole: parts.Part, groups: dict[int, Groups]) -> Iterator[Breakdown]:
    """Yield each breakdown of the task."""
    tallies: dict[parts.Line, dict[int, int]] = {}
    codes = whole.arrays["codes"]
    for number, line in enumerate(whole.lines):
        own = codes[codes["line"] == number]
        clips, at = np.unique(own["clip"], return_inverse=True)
        times = np.bincount(at.reshape(-1), weights=own["number"], minlength=len(clips)).astype(np.int64)
        tallies[line] = dict(zip(clips.tolist(), times.tolist(), strict=True))
    for number, each in enumerate(kind.breakdowns):
        by_code = {code: by_clip for (key, code), by_clip in sorted(tallies.items()) if key == f"{number}"}
        merged = {line: tallies.get((f"{number} {line}", ""), {}) for line in each.merged}
        yield breakdowns_compute.table(each, tallies.get((f"of {each.per}", ""), {}), by_code, merged, groups)


def notes(rows: Any, groups: dict[int, Groups]) -> dict[str, Any]:
    """Return the number of notes that raters wrote, and the first of them by system and question; one SELECT."""
    listed = sorted(rows.tolist(), key=lambda row: (groups[row[1]].system, row[2] or float("inf"), row[0]))[
        : reasons.NOTES
    ]
    said = live_rows.written([rating for rating, _clip, _question in listed])
    return {
        "total": len(rows),
        "listed": [
            {**dict(zip(("note", "code", "prompt"), said[rating], strict=True)),
             "system": system(groups[clip]), "kind": kind_of(groups[clip])}
            for rating, clip, _question in listed
            if rating in said
        ],
    }  # fmt: skip


def rule(definition: Definition, counts: Mapping[str, int]) -> RaterRule | None:
    """Return the sessions excluded by the task's own rule on raters, and the answers to its golden questions.

    None without such a rule, or if it is switched off.
    """
    kind, lost = definition.kind, counts["lost"]
    if not kind.rule or not (lost or kind.asks or getattr(definition.params, "post_screening", False)):
        return None
    golden = {name: counts[f"golden_{name}"] if kind.asks else 0 for name in ("asked", "right")}
    return RaterRule(name=kind.rule, lost=lost, **golden)


def coverage(
    study_id: int, which: bool | None, protocol: Protocol, got: Mapping[int, int], *, is_pooled: bool = False
) -> Coverage:
    """Return usable and wanted ratings, in all and by system and dimension; `got` is {place: usable answers}.

    With `is_pooled`, all systems are one: each item belongs to several of them.

    If disagreement asks for more raters, items that want more than the first ones count as reopened.
    """
    each = protocol.ratings_wanted if protocol.most_ratings else None
    cells: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    usable_of: Counter[int] = Counter()
    places: dict[int, pool_queries.Places] = {}
    # Simulated raters have separate places for the same items, but an item's ratings are wanted only once.
    for place in pool_queries.places(study_id, which):
        known = places.get(place.item)
        places[place.item] = place if known is None or place.wanted > known.wanted else known
        usable_of[place.item] += got.get(place.pool, 0)
    for item, place in places.items():
        usable = usable_of[item]
        cells["" if is_pooled else place.system, place.dimension].update(
            clips=1,
            wanted=place.wanted,
            usable=usable,
            filled=min(usable, place.wanted),
            reopened=int(each is not None and place.wanted > each),
        )
    return Coverage(
        cells=tuple(
            CoverageCell(system=system, dimension=dimension, **cell)
            for (system, dimension), cell in sorted(cells.items())
        ),
        **{name: sum(cell[name] for cell in cells.values()) for name in COUNTS},
    )
