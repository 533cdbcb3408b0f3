"""Everything that a study's page shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from statistics import median

from analysis.data.groups import HUMAN
from analysis.data.models import Simulated
from analysis.data.reasons import notes, reviews_pending
from analysis.live import scores
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
    Scale,
    TrapAnswers,
)
from analysis.sections.breakdowns import compute as breakdowns_compute
from analysis.sections.quality import traps as trap_answers
from analysis.sections.times import compute as times_compute
from raters.rating import breakdowns as counts
from raters.rating import monitor, ratings
from studies.clips import tables as clips_tables
from studies.definition import queries as definition_queries
from studies.definition.definition import Definition
from studies.pool import queries as pool_queries
from studies.rules.parameters import Protocol
from studies.rules.validity import guesser_rate

COUNTS = ("clips", "wanted", "usable", "filled", "reopened")
ASKED = {"trap_flawed": "flawed_traps", "trap_human": "human_traps"}


def compute(*, study_id: int, simulated: Simulated, now: datetime) -> Figures:
    """Read a study's figures: about 23 SELECTs and a page at a time of the long tables.

    Takes 150 bytes of memory a clip, 33 a rating, 24 a clip heard. Loads engines of statistics: for workers.
    """
    from analysis.live import fitting

    which = simulated.flag
    definition = definition_queries.definition(definition_queries.study_of(study_id))
    kind, protocol = definition.kind, definition.protocol
    scale = kind.score
    groups = clips_tables.groups(study_id)
    rows = scores.RatingColumns.read(ratings.scores(study_id, scale.part, which), groups)
    answered, human = trap_answers.answered(study_id, scale.part, which) if kind.traps else ([], [])
    minutes = monitor.minutes(study_id, which)
    first = monitor.first_answers(study_id, which, protocol.ratings_wanted) if protocol.most_ratings else None
    has_quota = protocol.quota_raters or protocol.quota_utterances
    return Figures(
        version=SCHEMA,
        scale=Scale(name=scale.name, low=scale.low, high=scale.high, unit=scale.unit, is_human=HUMAN in scale.codes),
        scores=scores.tables(rows, scale, first),
        first_raters=None if first is None else protocol.ratings_wanted,
        crossed=scores.crossed(rows, scale),
        **fitting.models(rows, scale),
        baseline=scores.baseline(rows, scores.RatingColumns.read(human, groups), scale),
        breakdowns=tuple(breakdowns_compute.tables(study_id, kind.breakdowns, which, groups)),
        notes=Notes.model_validate(notes(study_id, which, groups)),
        quota=scores.quota(rows) if has_quota else None,
        quota_wanted=QuotaWanted(raters=protocol.quota_raters, utterances=protocol.quota_utterances),
        times=tuple(times_compute.tables(study_id, which, groups)),
        coverage=coverage(study_id, which, protocol),
        people=Flow(**monitor.flow(study_id, which)),
        answers=ratings.count(study_id, which),
        simulated_sessions=monitor.sessions_of(study_id, True).count(),
        active=monitor.active(study_id, which, now),
        batches=Batches(**monitor.batches(study_id, which)),
        guesser=guesser_rate(protocol, kind.options),
        traps=tuple(
            TrapAnswers(role=trap.role, asked=trap.asked, right=trap.right, share=trap.share)
            for trap in answered
            if trap.asked or getattr(protocol, ASKED[trap.role])
        ),
        rule=rule(study_id, which, definition),
        review_pending=reviews_pending(study_id, simulated),
        minutes=Minutes(median=median(minutes) if minutes else None, sessions=len(minutes)),
    )


def rule(study_id: int, which: bool | None, definition: Definition) -> RaterRule | None:
    """Return what the task's own rule on raters has cost, and how its golden questions were answered.

    Nothing where there is no rule, or one that is switched off.
    """
    kind = definition.kind
    if not kind.rule:
        return None
    lost = counts.sessions_lost_to(study_id, which, kind.rule)
    if not (lost or kind.asks or getattr(definition.params, "post_screening", False)):
        return None
    golden = counts.golden_counts(study_id, which) if kind.asks else {"asked": 0, "right": 0}
    return RaterRule(name=kind.rule, lost=lost, **golden)


def coverage(study_id: int, which: bool | None, protocol: Protocol) -> Coverage:
    """Return ratings got and wanted, in all and by system and dimension; what is over an item's number is surplus.

    Where disagreeing raters are followed by more, items that want more than the first ones were reopened.
    """
    each = protocol.ratings_wanted if protocol.most_ratings else None
    got = monitor.usable_by_pool(study_id, which)
    cells: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    usable_of: Counter[int] = Counter()
    places: dict[int, pool_queries.Places] = {}
    # Simulated raters have places of their own for the same items, which are wanted once all the same.
    for place in pool_queries.places(study_id, which):
        known = places.get(place.item)
        places[place.item] = place if known is None or place.wanted > known.wanted else known
        usable_of[place.item] += got.get(place.pool, 0)
    for item, place in places.items():
        usable = usable_of[item]
        cells[place.system, place.dimension].update(
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
