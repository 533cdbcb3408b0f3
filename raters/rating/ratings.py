"""Ratings as tables, for scores, traps and exports, and the reasons for exclusions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from core.database.keyed import ByKey
from core.database.paging import Stored, keys, moment, paged, pages, read_json
from core.jobs import DONE, FAILED, QUEUED, RUNNING
from raters.people.models import DELETION, Session
from raters.rating import monitor, rights
from raters.rating.models import Answer, Batch, Rating, TrialClip, Verdict
from studies.clips import queries as clips_queries
from studies.pool import queries as pool_queries

# States of batches with all trials closed, validated or not.
FULL = (QUEUED, RUNNING, DONE, FAILED)
TRAPS = ("trap_flawed", "trap_human")
SESSIONS = 500
SESSIONS_OF_REPORTS = 100
# Clips and questions cached in memory.
MOST_REMEMBERED = 100_000
# Index of the role in the columns of `clips_queries.rated_clips`, without the key.
CLIP_ROLE = 11
NOTHING_SAID, NOT_HEARD = (None, None), (None, None, None)

# Rules of exclusions by subject and key: {"answer": {4711: ["expert"]}, "batch": {12: ["traps"]}, …}
Reasons = Mapping[str, Mapping[int, list[str]]]


class TestScore(NamedTuple):
    """A test rating. If not usable, only the trap rule excluded it."""

    rater: int
    clip: int
    value: float
    usable: bool
    trial: int
    item: int = 0


class TrapRow(NamedTuple):
    """A rating of a trap; with separate passes, a batch has several trials of it."""

    trial: int
    batch: int
    item: int
    rater: int
    clip: int | None
    role: str
    version: int
    part: str
    code: str
    value: float | None


def of_study(study_id: int, simulated: bool | None, versions: monitor.Versions = None) -> QuerySet[Rating]:
    """Return the ratings of real raters (False), simulated ones (True), or both (None)."""
    rows = Rating.objects.filter(study_id=study_id)
    rows = rows if versions is None else rows.filter(trial__session__version__in=versions)
    return rows if simulated is None else rows.filter(trial__session__simulated=simulated)


def without_sessions(rows: QuerySet[Rating], gone: Collection[int], part: str) -> QuerySet[Rating]:
    """Drop the ratings of the sessions `gone`, except those of `part`, which exist for every answer."""
    return rows.exclude(~Q(part=part), trial__session__in=gone) if gone else rows


def scores(study_id: int, part: str, simulated: bool | None) -> Iterator[TestScore]:
    """Yield the test ratings that are usable, or would be without the trap rule; in order of storage."""
    other = reasons(study_id, but="traps")
    rows = (
        of_study(study_id, simulated)
        .filter(part=part, value__isnull=False, clip__isnull=False, trial__item__role="test", trial__repeat=0)
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
            item=F("trial__item_id"),
        )
    )
    for row in paged(rows, "pk"):
        on = {name: row[name] for name in ("answer", "batch", "session", "rater")}
        if row["usable"] or not rules_for(other, **on, clip=row["heard"]):
            yield TestScore(row["rater"], row["heard"], row["value"], bool(row["usable"]), row["answer"], row["item"])


def traps(study_id: int, simulated: bool | None, versions: monitor.Versions = None) -> Iterator[TrapRow]:
    """Yield all trap ratings of full batches, valid or not (rule D2), by trial."""
    for sessions in keys(monitor.sessions_of(study_id, simulated, versions), SESSIONS):
        rows = Rating.objects.filter(trial__batch__session__in=sessions, trial__batch__state__in=FULL)
        trap_rows = rows.filter(trial__item__role__in=TRAPS).order_by("trial_id", "pk")
        columns = trap_rows.values_list(
            "trial_id",
            "trial__batch_id",
            "trial__item_id",
            "trial__rater_id",
            "clip_id",
            "trial__item__role",
            "trial__session__version_id",
            "part",
            "code",
            "value",
        )
        yield from [TrapRow(*row) for row in columns]


def reasons(study_id: int, *, but: str = "", sessions: Collection[int] | None = None) -> Reasons:
    """Return {subject: {key: rules}} of active exclusions in this study; five SELECTs.

    With `sessions`, only exclusions of clips and of these sessions' data.
    """
    active = Verdict.objects.filter(revoked_at=None, usable=False).exclude(rule=but).order_by("pk")
    these = Session.objects.filter(study=study_id) if sessions is None else sessions
    where = {
        "answer": active.filter(answer__trial__batch__session__in=these),
        "batch": active.filter(batch__session__in=these),
        "session": active.filter(session__in=these),
        "rater": active.filter(rater__sessions__in=these).distinct(),
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
    """Return the sorted rules that exclude any of these: answer, batch, session, rater, clip."""
    rules: set[str] = set()
    for subject, key in on.items():
        if key is not None and key in rules_by_subject[subject]:
            rules.update(rules_by_subject[subject][key])
    return sorted(rules)


def sessions_to_delete(study_id: int) -> frozenset[int]:
    """Return the sessions with a request for deletion; one SELECT."""
    active = Verdict.objects.filter(rule=DELETION, usable=False, revoked_at=None)
    return frozenset(active.filter(session__study=study_id).values_list("session_id", flat=True))


def count(study_id: int, simulated: bool | None) -> int:
    return of_study(study_id, simulated).count()


class RatingPage(NamedTuple):
    """Ratings as columns, with all values for their export; booleans as stored by the database."""

    pk: Sequence[int]
    part: Sequence[str]
    code: Sequence[str]
    value: Sequence[float | None]
    place: Sequence[int | None]
    note: Sequence[str]
    # Also the key of its trial.
    answer: Sequence[int]
    batch: Sequence[int]
    session: Sequence[int]
    rater: Sequence[int]
    clip: Sequence[int | None]
    question: Sequence[int | None]
    version: Sequence[int]
    is_simulated: Sequence[bool]
    position: Sequence[int]
    late: Sequence[bool]
    surplus: Sequence[bool]
    usable: Sequence[bool | None]
    served_at: Sequence[datetime | None]
    answered_at: Sequence[datetime | None]
    repeat: Sequence[int]
    pass_number: Sequence[int]
    justification: Sequence[str | None]
    evidence: Sequence[Any]
    # Key of the clip as played.
    key: Sequence[str | None]
    plays: Sequence[int | None]
    play_began_at: Sequence[datetime | None]
    # Number of different clips in the trial.
    clips: Sequence[int]
    # Of the batch; `before` is the number of earlier trials in the session.
    batch_number: Sequence[int]
    batch_state: Sequence[str]
    batch_valid: Sequence[bool | None]
    before: Sequence[int]
    # Of the clip.
    file: Sequence[str | None]
    system: Sequence[str | None]
    voice: Sequence[str | None]
    text_id: Sequence[str | None]
    dimension: Sequence[str | None]
    language: Sequence[str | None]
    box: Sequence[str | None]
    domain: Sequence[str | None]
    benchmark: Sequence[str | None]
    condition: Sequence[str | None]
    take: Sequence[str | None]
    clip_role: Sequence[str | None]
    seconds: Sequence[float | None]
    prompt_file: Sequence[str | None]
    seen: Sequence[str | None]
    # Of the trial's item.
    role: Sequence[str]
    # Of the question.
    question_name: Sequence[str | None]
    golden: Sequence[bool | None]
    # Of the other one of two clips.
    other_file: Sequence[str | None]
    other_system: Sequence[str | None]
    other_role: Sequence[str | None]


class _Looked(dict[int | None, tuple[Any, ...]]):
    """Columns of another table by key, read for a page of ratings at once and cached."""

    def __init__(self, rows: QuerySet[Any, tuple[Any, ...]], nothing: tuple[Any, ...] = ()) -> None:
        """`rows` is a `values_list` with the key first; `nothing` is the value for a null key."""
        self.rows, self.nothing = ByKey(rows), nothing
        self.same: dict[Any, Any] = {}

    def up(self, keys: Sequence[int | None]) -> list[tuple[Any, ...]]:
        if len(self) > MOST_REMEMBERED:
            self.clear()
            self.same.clear()
        self[None] = self.nothing
        for rows in self.rows.of(sorted({key for key in keys if key not in self and key is not None})):
            # Share equal values, because most occur in many rows.
            self.update((row[0], tuple(map(self.same.setdefault, row[1:], row[1:]))) for row in rows)
        return [self[key] for key in keys]


def _columns(rows: Sequence[tuple[Any, ...]], number: int) -> Iterator[list[Any]]:
    # `zip(*rows)` would create an object per row and trigger full garbage collections.
    return (list(map(itemgetter(at), rows)) for at in range(number))


def table(
    study_id: int, simulated: bool | None, *, gone: Collection[int] = (), part: str = "", **page: Any
) -> Iterator[RatingPage]:
    """Yield pages of ratings in order of storage; other tables are looked up once per page.

    For `gone` and `part` see `without_sessions`, for `page` see `pages`.
    """
    rows = without_sessions(of_study(study_id, simulated), gone, part).values_list(
        "pk",
        "part",
        "code",
        "value",
        "place",
        "note",
        "trial_id",
        "trial__batch_id",
        "trial__session_id",
        "trial__rater_id",
        "clip_id",
        "question_id",
        "trial__session__version_id",
        Stored("trial__session__simulated"),
        "trial__position",
        Stored("trial__late"),
        Stored("trial__surplus"),
        Stored("trial__usable"),
        Stored("trial__served_at"),
        Stored("trial__answered_at"),
        "trial__repeat",
        "trial__pass_number",
        "trial__item_id",
    )
    clips = _Looked(clips_queries.rated_clips(), (None,) * 15)
    questions = _Looked(clips_queries.rated_questions(), (None,) * 2)
    items = _Looked(pool_queries.roles())
    answers = ByKey(Answer.objects.values_list("pk", "reason", Stored("evidence")))
    shown = TrialClip.objects.values_list("trial_id", "place", "clip_id", "key", "plays", Stored("play_began_at"))
    screens, batches = ByKey(shown, "trial"), ByKey(_batches())
    for some in pages(rows, **page):
        *facts, served_at, answered_at, repeat, pass_number, item = _columns(some, 23)
        place, trial, batch, clip, question = (facts[at] for at in (4, 6, 7, 10, 11))
        trials = sorted(set(trial))
        said = {row[0]: row[1:] for rows_ in answers.of(trials) for row in rows_}
        reason, evidence = _columns([said.get(key, NOTHING_SAID) for key in trial], 2)
        heard, heard_of = dict[tuple[int, int], tuple[Any, ...]](), defaultdict[int, set[int]](set)
        clip_at: dict[tuple[int, int], int] = {}
        for rows_ in screens.of(trials):
            for of, at, clip_of, *rest in rows_:
                heard[of, at] = tuple(rest)
                heard_of[of].add(clip_of)
                clip_at[of, at] = clip_of
        key, plays, began_at = _columns([heard.get(each, NOT_HEARD) for each in zip(trial, place, strict=True)], 3)
        sizes = Counter(of for of, _at in clip_at)
        # A pair is the last two of a trial's clips.
        beside = ((of, -1 if at is None else 2 * sizes[of] - 3 - at) for of, at in zip(trial, place, strict=True))
        others = clips.up([clip_at.get(each) for each in beside])
        about = {row[0]: row[1:] for rows_ in batches.of(sorted(set(batch))) for row in rows_}
        cells = (
            *facts,
            [*map(moment, served_at)],
            [*map(moment, answered_at)],
            repeat,
            pass_number,
            reason,
            [*map(read_json, evidence)],
            key,
            plays,
            [*map(moment, began_at)],
            [len(heard_of[each]) or 1 for each in trial],
            *_columns([about[each] for each in batch], 4),
            *_columns(clips.up(clip), 15),
            *_columns(items.up(item), 1),
            *_columns(questions.up(question), 2),
            *_columns([(row[0], row[1], row[CLIP_ROLE]) for row in others], 3),
        )
        yield RatingPage._make(cells)


def _batches() -> QuerySet[Batch, tuple[Any, ...]]:
    """Return key, number, state and validity of batches, and the number of earlier trials in the session."""
    earlier = Batch.objects.filter(session=OuterRef("session"), number__lt=OuterRef("number")).values("session")
    before = Coalesce(Subquery(earlier.annotate(size_of_all=Sum("size")).values("size_of_all")), 0)
    return Batch.objects.values_list("pk", "number", "state", Stored("valid"), before)


class BrowserReport(NamedTuple):
    """A browser's report sent with an answer, and the flags of its reason in the experts' queue."""

    session: int
    rater: int
    is_simulated: bool
    batch: int
    position: int
    evidence: Any
    flags: list[str] | None
    rules: int | None


def browser_reports(study_id: int, simulated: bool | None) -> Iterator[BrowserReport]:
    """Yield one row per answer, by session and position; one SELECT per chunk of sessions."""
    every = monitor.sessions_of(study_id, simulated)
    wanted = every.exclude(pk__in=rights.deletion_requested(every)).values("pk", "rater_id", "simulated")
    sessions = paged(wanted, "pk")
    while some := {each["pk"]: (each["rater_id"], each["simulated"]) for each in islice(sessions, SESSIONS_OF_REPORTS)}:
        rows = Answer.objects.filter(trial__batch__session__in=list(some)).values_list(
            "trial__session_id",
            "trial__batch__number",
            "trial__position",
            Stored("evidence"),
            Stored("review_item__flags"),
            "review_item__rules",
        )
        # Sorted in Python: sorting long rows is slower in the database.
        for session, batch, position, evidence, flags, rules in sorted(rows, key=itemgetter(0, 1, 2)):
            cells = (session, *some[session], batch, position, read_json(evidence), read_json(flags), rules)
            yield BrowserReport._make(cells)
