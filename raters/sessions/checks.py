"""Checks of a session: show them, play their sounds, judge the answers, and end sessions that fail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import F

from core import rng as random
from core.database.paging import keys
from core.errors import NotFound
from raters.people import rules as people_rules
from raters.people.models import Session
from raters.rating import batches, finishing
from raters.sessions import attention, lifecycle, screening
from raters.sessions.models import CheckResult, FairCheck
from raters.sessions.screening.attention import AttentionCheck
from raters.sessions.screening.base import Check, Form
from studies.clips import queries as clips_queries
from studies.definition import facts
from studies.definition.definition import Definition

# Sessions read at once.
SESSIONS = 500


def open_step(*, session_id: int, key: str) -> tuple[CheckResult, dict[str, Any]]:
    """Return the current step of a session with this sound key; raises `NotFound`."""
    at_checks = (Session.Step.CHECKS, Session.Step.PRACTICE)
    results = CheckResult.objects.filter(session=session_id, passed=None, session__step__in=at_checks)
    for result in results.select_related("session"):
        number = max(0, len(result.answers[-1]) - int(result.telling))
        if result.drawn[number]["key"] == key:
            return result, result.drawn[number]
    raise NotFound("There is no such sound.")


def has_results(study_id: int) -> bool:
    return CheckResult.objects.filter(session__study=study_id).exists()


def failed(study_id: int, sessions: Collection[int] | None = None) -> dict[int, list[str]]:
    """Return {session: names of failed checks}, for these sessions or all; one SELECT."""
    rows = CheckResult.objects.filter(session__study=study_id, passed=False).order_by("session_id", "pk")
    rows = rows if sessions is None else rows.filter(session__in=sessions)
    marks: defaultdict[int, list[str]] = defaultdict(list)
    for session, name in rows.values_list("session_id", "name"):
        if name not in marks[session]:
            marks[session].append(name)
    return dict(marks)


def table(study_id: int, simulated: bool | None) -> Iterator[dict[str, Any]]:
    """Yield one row per check result, by session and in order; fair checks include question and answer."""
    words = _words(study_id)
    rows, sessions = CheckResult.objects.order_by("session_id", "pk"), Session.objects.filter(study=study_id)
    if simulated is not None:
        sessions = sessions.filter(simulated=simulated)
    columns = ("name", "round", "rule_version", "tries", "right", "of", "passed", "began_at", "at")
    columns_of_rows: Any = rows.values(
        *columns,
        is_simulated=F("session__simulated"),
        session_pk=F("session_id"),
        rater_pk=F("session__rater_id"),
        version_pk=F("session__version_id"),
    )
    of_sessions = (columns_of_rows.filter(session__in=some) for some in keys(sessions, SESSIONS))
    for row in chain.from_iterable(of_sessions):
        question, answered = words.get((row["session_pk"], people_rules.block_name(row["round"])), ("", ""))
        yield {**row, "asked": question, "answered": answered}


def _words(study_id: int) -> dict[tuple[int, str], tuple[str, str]]:
    """Return {(session, block): (question, answer)} of attention checks."""
    rows = FairCheck.objects.filter(session__study=study_id).values_list("session_id", "block", "asked", "answered")
    return {(session, block): (question, answered) for session, block, question, answered in rows}


Steps = (Session.Step.CHECKS, Session.Step.PRACTICE)


@dataclass(frozen=True, slots=True)
class CheckPage:
    """The page of a check, with the rater's progress."""

    check: Check
    result: CheckResult
    definition: Definition
    place: int
    places: int

    @property
    def number(self) -> int:
        """The current step's index, from 0."""
        answered = len(self.result.answers[-1])
        return answered - 1 if self.result.telling else answered

    @property
    def step(self) -> dict[str, Any]:
        step: dict[str, Any] = self.result.drawn[self.number]
        return step

    @property
    def at(self) -> str:
        """An identifier of this page and try, so that a form sent twice counts once."""
        result = self.result
        return f"{result.name}.{result.round}.{result.tries}.{self.number}.{int(result.telling)}"


@transaction.atomic
def show(*, session_id: int, now: datetime, rng: Random) -> CheckPage | None:
    """Return the check page of a session, drawn on first view; None if no check is left."""
    session = finishing.locked(session_id)
    shown = _current(session, now, rng) if session.step in Steps else None
    while shown is not None and _renew(session, shown, now, rng):
        shown = _current(session, now, rng) if session.step in Steps else None
    return shown


@transaction.atomic
def answer(*, session_id: int, at: str, form: Form, now: datetime, rng: Random) -> dict[str, str]:
    """Process a submitted form; return {field: problem}. Forms of an earlier page change nothing."""
    session = finishing.locked(session_id)
    shown = _current(session, now, rng) if session.step in Steps else None
    if shown is None or shown.at != at:
        return {}
    check, result, definition, step = shown.check, shown.result, shown.definition, shown.step
    if result.telling:
        result.telling = False
    else:
        problems = check.problems(definition, step, form)
        if problems:
            return problems
        answered = check.answer(definition, step, form)
        result.answers[-1].append(answered)
        result.telling = check.tells and "right" in answered
    if not result.telling and len(result.answers[-1]) == len(result.drawn):
        _judge(session, shown, now, rng)
        if check.is_fair:
            language = session.language or definition.texts.language
            attention.store_answer(result=result, definition=definition, step=step, language=language, now=now)
    _keep(session, shown, now, rng)
    return {}


@transaction.atomic
def skip(*, session_id: int, now: datetime, rng: Random) -> None:
    """Mark the current check of a preview as passed."""
    session = finishing.locked(session_id)
    shown = _current(session, now, rng) if session.step in Steps else None
    if shown is not None:
        shown.result.passed, shown.result.at, shown.result.drawn = True, now, []
        _keep(session, shown, now, rng)


def ask(*, session: Session, check: Check, now: datetime, rng: Random) -> None:
    """Start this check as the only one of a locked session's round."""
    _begin(session, check, facts.frozen(session.version_id).definition, now, rng)


def _keep(session: Session, shown: CheckPage, now: datetime, rng: Random) -> None:
    """Store a result; if it is decided, move the session on or end it."""
    check, result = shown.check, shown.result
    result.save()
    if result.passed is False and _is_out(session, shown):
        finishing.finish(session, outcome=Session.Outcome(check.outcome), now=now)
    elif result.passed is not None:
        # Move on at once, so that there is no page in between.
        _current(session, now, rng)


def _is_out(session: Session, shown: CheckPage) -> bool:
    """True if a failed check ends its session."""
    if shown.check.is_fair:
        is_rating = session.simulated or facts.by_id(session.study_id).is_live
        # A session without more batches is complete, so it isn't ended as failed.
        is_over = not is_rating or batches.is_over(session)
        return not is_over and attention.is_lost(session=session, definition=shown.definition)
    # Rechecks between batches never end a session.
    return shown.result.round == 0 and shown.check.mode(shown.definition) == "screen_out"


def _renew(session: Session, shown: CheckPage, now: datetime, rng: Random) -> bool:
    """Replace clips withdrawn since the draw; return whether there were any."""
    check, result = shown.check, shown.result
    if not check.needs_clips or result.telling:
        return False
    clips = clips_queries.training_clips(session.study_id)
    there, done = {clip.clip for clip in clips}, result.drawn[: shown.number]
    remaining = [step for step in result.drawn[shown.number :] if step["clip"] in there]
    gone = len(result.drawn) - len(done) - len(remaining)
    if not gone:
        return False
    met = {step["clip"] for step in result.drawn}
    fresh = _drawn(session, check, shown.definition, [clip for clip in clips if clip.clip not in met], rng)
    result.drawn = [*done, *remaining, *fresh[:gone]]
    if len(result.answers[-1]) == len(result.drawn):
        if done:
            _judge(session, shown, now, rng)
        else:
            result.passed, result.at = True, now
    _keep(session, shown, now, rng)
    return True


def _judge(session: Session, shown: CheckPage, now: datetime, rng: Random) -> None:
    """Decide a finished try; start another one if it failed and tries are left."""
    check, result, definition = shown.check, shown.result, shown.definition
    score = check.score(definition, result.answers[-1])
    result.right, result.of = score.right, score.of
    if score.passed or result.tries >= check.tries(definition):
        result.passed, result.at, result.drawn = score.passed, now, []
        return
    result.tries += 1
    result.answers.append([])
    result.drawn = _draw(session, check, definition, rng)


def _current(session: Session, now: datetime, rng: Random) -> CheckPage | None:
    """Return the first undecided check of a locked session; if there is none, move the session on."""
    definition = facts.frozen(session.version_id).definition
    known = {result.name: result for result in CheckResult.objects.filter(session=session, round=_round(session))}
    checks = _checks(session, definition, known)
    for place, check in enumerate(checks, start=1):
        result = known.get(check.name) or _begin(session, check, definition, now, rng)
        if result.passed is None:
            return CheckPage(check, result, definition, place, len(checks))
    if session.step == Session.Step.PRACTICE:
        lifecycle.start(session, now=now)
    elif session.started_at is None:
        session.step = Session.Step.INSTRUCTIONS
        session.save(update_fields=["step"])
    else:
        session.step = Session.Step.RATING
        # Attention checks don't restart the time until the next recheck of volume and headphones.
        session.checked_at = session.checked_at if _is_asked(known) else now
        session.save(update_fields=["step", "checked_at"])
    return None


def _checks(session: Session, definition: Definition, known: Collection[str]) -> list[Check]:
    if session.started_at is not None:
        return [screening.get(AttentionCheck.name)] if _is_asked(known) else screening.rechecks_of(definition)
    return screening.checks_of(definition, "practice" if session.step == Session.Step.PRACTICE else "checks")


def _is_asked(known: Collection[str]) -> bool:
    """True if the current round between batches is an attention check."""
    return AttentionCheck.name in known


def _round(session: Session) -> int:
    return 0 if session.started_at is None else session.rechecks


def _begin(session: Session, check: Check, definition: Definition, now: datetime, rng: Random) -> CheckResult:
    result = CheckResult(session=session, name=check.name, round=_round(session), rule_version=check.version)
    result.began_at = now
    result.drawn, result.answers = _draw(session, check, definition, rng), [[]]
    if not result.drawn:
        # All practice clips were withdrawn after the launch.
        result.passed, result.at = True, now
    result.save()
    return result


def _draw(session: Session, check: Check, definition: Definition, rng: Random) -> list[dict[str, Any]]:
    clips = clips_queries.training_clips(session.study_id) if check.needs_clips else []
    return _drawn(session, check, definition, clips, rng)


def _drawn(
    session: Session, check: Check, definition: Definition, clips: Sequence[clips_queries.TrainingClip], rng: Random
) -> list[dict[str, Any]]:
    drawn = check.draw(definition, rng, clips=clips, short=session.started_at is not None)
    return [{**step, "key": random.token()} for step in drawn]
