"""Simulated raters: whole sessions, each on its own clock, through the same services as real ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from core.errors import Invalid, TooEarly
from core.jobs import QUEUED
from core.rng import seeded
from raters.people.models import Session
from raters.rating import batches, listening, sent_bytes, trials
from raters.rating.models import Batch, Trial, TrialClip
from raters.rating.progress import CurrentTrial, Progress, TrialSlot
from raters.rating.trials import SubmittedAnswer
from raters.sessions import checks, lifecycle, questionnaire
from raters.simulation.simulated_people import (
    Person,
    SimulatedClip,
    answer,
    answer_attention_check,
    answer_questionnaire,
    crowd,
    inputs,
)
from raters.sources.base import RaterArrival
from studies.definition import facts
from studies.pool import layout

SOURCE = "simulated"
# All arrive some minutes in the past: typical sessions end before now, and the periodic job sees no lease as expired.
HEAD_START = timedelta(minutes=20)
ARRIVE_WITHIN = 8 * 60.0
TRIES = 4


@dataclass(frozen=True, slots=True)
class SimulationSummary:
    """Results of all sessions of a seed, including those of earlier runs."""

    sessions: int
    new: int
    careless: int
    answers: int
    valid: int
    invalid: int


class Clock:
    """One person's clock: it advances only when they act."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def after(self, seconds: float) -> datetime:
        """Advance the clock and return its time."""
        self.now += timedelta(seconds=seconds)
        return self.now


def simulate(
    *,
    study_id: int,
    raters: int,
    seed: int,
    careless: float = 0.2,
    now: datetime,
    progress: Callable[[int, int], object] | None = None,
) -> SimulationSummary:
    """Run whole sessions, a share `careless` of them at random; the same seed gives the same answers.

    Finished sessions of this seed are skipped, unfinished ones are completed. Simulated raters never take real places.
    Raises `Invalid` for impossible numbers and `NotFound` before the launch.
    """
    if raters < 1 or not 0 <= careless <= 1:
        raise Invalid(
            _("These settings can’t be simulated."),
            {"raters": _("Ask for at least one rater."), "careless": _("Name a share between 0 and 1.")},
        )
    # Raises before anything is written if no version is launched.
    facts.newest_version(study_id)
    layout.open_simulated(study_id=study_id, rng=seeded("places", seed))
    people = crowd(raters=raters, seed=seed, careless=careless)
    played, new = [], 0
    for person in people:
        session, is_new = _play(study_id, person, Clock(now - HEAD_START))
        played.append(session)
        new += is_new
        if progress is not None:
            progress(len(played), raters)
    batches_by_result = Counter(Batch.objects.filter(session__in=played).values_list("valid", flat=True))
    return SimulationSummary(
        sessions=len(played),
        new=new,
        careless=sum(person.careless for person in people),
        answers=Trial.objects.filter(session__in=played, answered_at__isnull=False).count(),
        valid=batches_by_result[True],
        invalid=batches_by_result[False],
    )


def _play(study_id: int, person: Person, clock: Clock) -> tuple[int, bool]:
    """Run the rest of one person's session; return its key, and whether anything was left to do."""
    rng = person.rng("arrival")
    name = f"{study_id}-{person.seed}-{person.number}"
    arrival = RaterArrival(source=SOURCE, study=str(study_id), session=name, person=name)
    now = clock.after(rng.uniform(0, ARRIVE_WITHIN))
    session = lifecycle.arrive(study_id=study_id, arrival=arrival, now=now, simulated=True)
    if session.step == Session.Step.ENDED:
        return session.pk, False
    _pick_up(session, clock)
    lifecycle.consent(session_id=session.pk, agreed=True, now=clock.after(rng.uniform(15, 45)))
    lifecycle.begin(session_id=session.pk, now=clock.after(rng.uniform(20, 60)))
    _work(session, person, clock)
    while _answer_attention_check(session, person, clock):
        _work(session, person, clock)
    _answer_questionnaire(session, person, clock)
    return session.pk, True


def _work(session: Session, person: Person, clock: Clock) -> None:
    """Rate until the session is over or an attention check is due."""
    begun = Batch.objects.filter(session=session).count()
    page: Progress = trials.enter(session_id=session.pk, now=clock.after(1), rng=person.rng("claim", begun))
    while isinstance(page, CurrentTrial):
        # One commit per trial instead of three, for speed.
        with transaction.atomic():
            page, filled = _rate(session, page, person, clock)
        if filled is not None:
            batches.validate(pk=filled, now=clock.now)


def _answer_attention_check(session: Session, person: Person, clock: Clock) -> bool:
    """Answer an attention check; return whether one was due."""
    if not facts.frozen(session.version_id).definition.screening.attention:
        return False
    rng = person.rng("attention", Batch.objects.filter(session=session).count())
    shown = checks.show(session_id=session.pk, now=clock.after(1), rng=rng)
    if shown is None:
        return False
    form = answer_attention_check(shown.definition, shown.step, careless=person.careless, rng=rng)
    now = clock.after(rng.uniform(4, 15))
    checks.answer(session_id=session.pk, at=shown.at, form=form, now=now, rng=rng)
    return True


def _answer_questionnaire(session: Session, person: Person, clock: Clock) -> None:
    """Answer the questionnaire, if the study has one."""
    definition = facts.frozen(session.version_id).definition
    questions = definition.questionnaire.asked()
    if questions:
        rng = person.rng("questionnaire")
        responses = answer_questionnaire(
            questions, language=definition.texts.language, careless=person.careless, rng=rng
        )
        questionnaire.store(session_id=session.pk, responses=responses, now=clock.after(rng.uniform(10, 60)))


def _pick_up(session: Session, clock: Clock) -> None:
    """Set the clock after the last event of an interrupted run, and validate its full batch."""
    last = Trial.objects.filter(session=session).aggregate(
        served=Max("served_at"), answered=Max("answered_at"), began=Max("clips__play_began_at")
    )
    clock.now = max([clock.now, *(moment for moment in last.values() if moment is not None)])
    for pk in Batch.objects.filter(session=session, state=QUEUED).values_list("pk", flat=True):
        batches.validate(pk=pk, now=clock.now)


def _rate(session: Session, page: CurrentTrial, person: Person, clock: Clock) -> tuple[Progress, int | None]:
    """Listen to one trial and answer it; if the answer is too early, wait and send it again."""
    frozen = facts.frozen(session.version_id)
    rng = person.rng("trial", page.batch, page.trial.position)
    clips = _clips_of(page.trial)
    evidence = _listen(session, page, clips, person, clock, rng)
    response = answer(
        frozen=frozen,
        shown=frozen.kind_shown(page.trial.shown, [clip.key for clip in page.trial.clips]),
        chances=[person.chance(clip) for clip in clips],
        careless=person.careless,
        rng=rng,
    )
    reason = frozen.kind.reason(frozen.kind.answer(response))
    sent = SubmittedAnswer(
        token=page.trial.token,
        tab=page.tab,
        key=UUID(int=seeded("key", page.trial.token).getrandbits(128), version=4),
        answer=response,
        evidence=evidence | {"inputs": inputs(reason, careless=person.careless)},
    )
    claim = person.rng("claim", page.batch)
    for _try in range(TRIES):
        try:
            return trials.submit(session_id=session.pk, sent=sent, now=clock.now, rng=claim)
        except TooEarly as early:
            clock.after(early.retry_after + 0.05)
    return trials.submit(session_id=session.pk, sent=sent, now=clock.now, rng=claim)


def _clips_of(trial: TrialSlot) -> list[SimulatedClip]:
    """Return the clips of a trial with roles and systems."""
    rows = TrialClip.objects.filter(trial=trial.trial).order_by("place")
    columns = ("pk", "clip__rendition_bytes", "plays", "clip__system__name", "clip__role", "clip__file")
    return [SimulatedClip(*row) for row in rows.values_list(*columns)]


def _listen(
    session: Session, page: CurrentTrial, clips: Sequence[SimulatedClip], person: Person, clock: Clock, rng: Random
) -> dict[str, Any]:
    """Load and play every clip; return the browser's report.

    A careful person hears each clip completely, sometimes twice; a careless one stops early.
    """
    share = 0.3 if person.careless else 1.0
    reports = {}
    for slot, clip in zip(page.trial.clips, clips, strict=True):
        sent_bytes.note_sent_bytes(
            trial_clip=clip.trial_clip, start=0, stop=clip.size, size=clip.size, now=clock.after(0.2)
        )
        plays = 2 if rng.random() < 0.15 and not person.careless else 1
        plays_left = plays if page.max_plays is None else page.max_plays - clip.plays
        for _time in range(min(plays, plays_left)):
            listening.start_play(
                session_id=session.pk, key=slot.key, tab=page.tab, now=clock.after(rng.uniform(0.3, 1.5))
            )
            clock.after(slot.seconds * share)
        first_end = None if person.careless else round(slot.seconds, 3)
        reports[slot.key] = {"plays": plays, "played": share, "first_end": first_end, "interrupted": 0}
    clock.after(rng.uniform(0.2, 0.8) if person.careless else rng.lognormvariate(2.3, 0.4))
    return {"clips": reports}
