"""Ratings as tables: rows for scores, traps and exports, and why rows are excluded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import F, FilteredRelation, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum

from core.database.paging import keys, paged
from core.jobs import DONE, FAILED, QUEUED, RUNNING
from raters.people.models import DELETION
from raters.rating import monitor, scored
from raters.rating.models import Batch, Rating, Verdict

# A batch that was answered to its end, decided or not.
FULL = (QUEUED, RUNNING, DONE, FAILED)
TRAPS = ("trap_flawed", "trap_human")
SESSIONS = 500

# {"answer": {4711: ["expert"]}, "batch": {12: ["traps"]}, …}
Reasons = Mapping[str, Mapping[int, list[str]]]


class TestScore(NamedTuple):
    """One test rating: who, which clip, what, and whether it counts or was lost to the trap rule alone."""

    rater: int
    clip: int
    value: float
    usable: bool
    trial: int


class TrapRow(NamedTuple):
    """One row of an answer to a trap."""

    trial: int
    rater: int
    clip: int | None
    role: str
    version: int
    part: str
    code: str
    value: float | None


def of_study(study_id: int, simulated: bool | None, versions: monitor.Versions = None) -> QuerySet[Rating]:
    """Return the ratings of real raters, of simulated ones, or (None) of both."""
    rows = Rating.objects.filter(study_id=study_id)
    rows = rows if versions is None else rows.filter(trial__session__version__in=versions)
    return rows if simulated is None else rows.filter(trial__session__simulated=simulated)


def without_sessions(rows: QuerySet[Rating], gone: Collection[int], part: str) -> QuerySet[Rating]:
    """Drop the rows of the sessions `gone`, except those of `part`, which exist for every answer."""
    return rows.exclude(~Q(part=part), trial__session__in=gone) if gone else rows


def scores(study_id: int, part: str, simulated: bool | None) -> Iterator[TestScore]:
    """Yield each test rating that is usable, or would be if the traps hadn't undone its batch; in order."""
    other = reasons(study_id, but="traps")
    rows = (
        of_study(study_id, simulated)
        .filter(part=part, value__isnull=False, clip__isnull=False, trial__item__role="test")
        .filter(Q(trial__usable=True) | Q(trial__batch__state=DONE, trial__batch__valid=False))
        .values(
            "pk",
            "value",
            answer=F("trial_id"),
            batch=F("trial__batch_id"),
            session=F("trial__session_id"),
            rater=F("trial__rater_id"),
            heard=F("clip_id"),
            usable=F("trial__usable"),
        )
    )
    for row in paged(rows, "pk"):
        on = {name: row[name] for name in ("answer", "batch", "session", "rater")}
        if row["usable"] or not rules_for(other, **on, clip=row["heard"]):
            yield TestScore(row["rater"], row["heard"], row["value"], bool(row["usable"]), row["answer"])


def traps(study_id: int, simulated: bool | None, versions: monitor.Versions = None) -> Iterator[TrapRow]:
    """Yield the rows of every trap answer in every full batch, valid or not (rule D2), trial by trial."""
    for sessions in keys(monitor.sessions_of(study_id, simulated, versions), SESSIONS):
        rows = Rating.objects.filter(trial__batch__session__in=sessions, trial__batch__state__in=FULL)
        trap_rows = rows.filter(trial__item__role__in=TRAPS).order_by("trial_id", "pk")
        columns = trap_rows.values_list(
            "trial_id",
            "trial__rater_id",
            "clip_id",
            "trial__item__role",
            "trial__session__version_id",
            "part",
            "code",
            "value",
        )
        yield from [TrapRow(*row) for row in columns]


def reasons(study_id: int, *, but: str = "") -> Reasons:
    """Return the rules of all active negative verdicts on this study's data, by what they are on; five SELECTs."""
    active = Verdict.objects.filter(revoked_at=None, usable=False).exclude(rule=but).order_by("pk")
    where = {
        "answer": active.filter(answer__trial__session__study_id=study_id),
        "batch": active.filter(batch__session__study_id=study_id),
        "session": active.filter(session__study_id=study_id),
        "rater": active.filter(rater__sessions__study_id=study_id).distinct(),
        "clip": active.filter(clip__study_id=study_id),
    }
    rules_on: dict[str, dict[int, list[str]]] = {}
    for subject, rows in where.items():
        by_key: dict[int, list[str]] = {}
        for key, rule in rows.values_list(f"{subject}_id", "rule"):
            by_key.setdefault(key, []).append(rule)
        rules_on[subject] = by_key
    return rules_on


def rules_for(rules_by_subject: Reasons, **on: int | None) -> list[str]:
    """Return the sorted rules that hold for these things (answer, batch, session, rater, clip)."""
    rules = {rule for subject, key in on.items() if key is not None for rule in rules_by_subject[subject].get(key, ())}
    return sorted(rules)


def sessions_to_delete(rules_by_subject: Reasons) -> frozenset[int]:
    """Return the sessions whose deletion was asked for."""
    return frozenset(session for session, rules in rules_by_subject["session"].items() if DELETION in rules)


def count(study_id: int, simulated: bool | None) -> int:
    """Return how many ratings there are."""
    return of_study(study_id, simulated).count()


def table(
    study_id: int, simulated: bool | None, *, gone: Collection[int] = (), part: str = "", **page: Any
) -> Iterator[dict[str, Any]]:
    """Yield one row per rating in the order of storage, with everything that its export needs.

    `gone` and `part` are those of `without_sessions`, `page` is that of `paged`.
    """
    earlier = (
        Batch.objects.filter(session=OuterRef("trial__session"), number__lt=OuterRef("trial__batch__number"))
        .values("session")
        .annotate(size_of_all=Sum("size"))
        .values("size_of_all")
    )
    rows = without_sessions(of_study(study_id, simulated), gone, part).annotate(
        heard=FilteredRelation("trial__clips", condition=Q(trial__clips__place=F("place"))),
        trial_clips=scored.clips_heard("trial"),
        trials_before=Subquery(earlier, output_field=IntegerField()),
    )
    names = {
        "trial_pk": "trial_id",
        "batch_pk": "trial__batch_id",
        "session_pk": "trial__session_id",
        "rater_pk": "trial__rater_id",
        "clip_pk": "clip_id",
        "version_pk": "trial__session__version_id",
        "is_simulated": "trial__session__simulated",
        "batch_number": "trial__batch__number",
        "batch_state": "trial__batch__state",
        "batch_valid": "trial__batch__valid",
        "before": "trials_before",
        "position": "trial__position",
        "file": "clip__file",
        "system": "clip__system__name",
        "voice": "clip__voice",
        "role": "trial__item__role",
        "text_id": "clip__text__name",
        "dimension": "clip__dimension",
        "language": "clip__language",
        "box": "clip__box",
        "domain": "clip__domain",
        "benchmark": "clip__benchmark",
        "condition": "clip__condition",
        "take": "clip__take",
        "clip_role": "clip__role",
        "question_name": "question__name",
        "golden": "question__golden",
        "clips": "trial_clips",
        "seconds": "clip__duration",
        "justification": "trial__answer__reason",
        "evidence": "trial__answer__evidence",
        "key": "heard__key",
        "plays": "heard__plays",
        "play_began_at": "heard__play_began_at",
        "served_at": "trial__served_at",
        "answered_at": "trial__answered_at",
        "late": "trial__late",
        "surplus": "trial__surplus",
        "usable": "trial__usable",
    }
    return paged(
        rows.values("pk", "part", "code", "value", "place", "note", **{a: F(b) for a, b in names.items()}), "pk", **page
    )
