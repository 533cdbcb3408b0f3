"""Figures kept up to date part by part are those of all answers read afresh, whatever happened in between."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from analysis.data.models import Simulated
from analysis.live import figures, parts, snapshots
from analysis.live.models import Snapshot, SnapshotPart
from analysis.sections.results import dump
from core import jobs
from core.database import keyed
from core.errors import DomainError
from raters.models import Answer, Batch, Erasure, Session, Verdict
from raters.people.models import DELETION
from raters.privacy import erasing, requests
from raters.rating import batches, verdicts
from studies.models import Study
from tests.passages import listen, make_passages
from tests.world import Person, make_study

LABELS = ("human", "unclear", "machine")
DAY = timedelta(days=1)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make parts of two sessions, so that a few people fill several."""
    monkeypatch.setattr(parts, "SIZE", 2)


def refresh(study: Study, now: datetime, simulated: Simulated = Simulated.WITHOUT) -> Snapshot:
    """Refresh the figures, and return their row."""
    row, _ = Snapshot.objects.get_or_create(study=study, simulated=simulated)
    Snapshot.objects.filter(pk=row.pk).update(state=jobs.QUEUED, tries=0)
    assert snapshots.refresh_snapshot(pk=row.pk, clock=lambda: now)
    row.refresh_from_db()
    return row


def afresh(study: Study, now: datetime, simulated: Simulated = Simulated.WITHOUT) -> Any:
    return dump(figures.compute(study_id=study.pk, simulated=simulated, now=now))


class Life:
    """People who come, rate, fail, leave and have themselves erased, as a generator draws it."""

    def __init__(self, study: Study, now: datetime, rng: Random) -> None:
        self.study, self.now, self.rng = study, now, rng
        self.people: list[Person] = []

    def arrive(self) -> None:
        self.people.append(Person(self.study, self.now).start())

    def rate(self) -> None:
        """Let somebody answer some clips; full batches are validated now or in a later step."""
        if at_work := [person for person in self.people if person.page is not None and not person.is_done]:
            person = self.rng.choice(at_work)
            person.now = self.now
            for _ in range(self.rng.randint(1, 8)):
                if person.is_done:
                    break
                right = {"trap_flawed": "machine", "trap_human": "human"}.get(person.role)
                is_attentive = self.rng.random() < 0.9
                person.rate(right if right and is_attentive else self.rng.choice(LABELS))
            self.now = person.now

    def validate(self) -> None:
        for pk in Batch.objects.filter(state=jobs.QUEUED).values_list("pk", flat=True):
            batches.validate(pk=pk, now=self.now)

    def exclude(self) -> None:
        """Exclude an answer, a batch, a session, a rater or a clip."""
        answer = self.rng.choice([None, *Answer.objects.select_related("trial").order_by("pk")])
        if answer is not None:
            trial = answer.trial
            clip = trial.clips.get().clip_id
            on = {"answer": answer.pk, "batch": trial.batch_id, "session": trial.session_id, "rater": trial.rater_id}
            subject = self.rng.choice([*on, "clip"])
            key = {**on, "clip": clip}[subject]
            verdicts.exclude(**{subject: key}, rule="expert", by=None, now=self.now, detail={})  # type: ignore[arg-type]

    def revoke(self) -> None:
        rows = Verdict.objects.filter(revoked_at=None).exclude(rule=DELETION).order_by("pk")
        if keys := list(rows.values_list("pk", flat=True)):
            verdicts.revoke(verdict_id=self.rng.choice(keys), by=None, now=self.now)

    def withdraw(self) -> None:
        if self.people:
            person = self.people.pop(self.rng.randrange(len(self.people)))
            requests.delete_answers(session_id=person.session.pk, now=self.now)

    def erase(self) -> None:
        self.now += DAY
        for pk in Erasure.objects.filter(state=jobs.QUEUED).values_list("pk", flat=True):
            erasing.carry_out(pk=pk, clock=lambda: self.now)

    def keep(self) -> None:
        for pk in Erasure.objects.filter(state=jobs.QUEUED).values_list("pk", flat=True)[:1]:
            requests.undo(erasure_id=pk, now=self.now)

    def expire(self) -> None:
        self.now += timedelta(hours=1)
        batches.expire_idle(now=self.now)


@pytest.mark.django_db
@pytest.mark.usefixtures("files", "small_parts")
@pytest.mark.parametrize("seed", range(4))
def test_figures_of_changed_parts_are_those_of_all_answers(
    now: datetime, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rows are read a few keys at a time, with all that lies between them; to compare, those of each key alone.
    monkeypatch.setattr(keyed, "AT_ONCE", 5)
    monkeypatch.setattr(keyed, "SPREAD", 10 * seed)

    def by_each_key() -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(keyed, "SPREAD", 0)
            return afresh(study, life.now)

    rng = Random(seed)
    study = make_study(now=now, systems=("human", "alpha"), protocol__playback="record", protocol__ratings_wanted=3)
    life = Life(study, now, rng)
    # All parts are read when there is nothing yet; from then on, only those that change.
    refresh(study, life.now)
    usual = [life.arrive, life.rate, life.rate, life.rate, life.validate]
    rare = [life.exclude, life.revoke, life.withdraw, life.erase, life.keep, life.expire]
    for _ in range(30):
        try:
            rng.choice(usual if rng.random() < 0.75 else rare)()
        except DomainError:
            continue
        if rng.random() < 0.4:
            row = refresh(study, life.now)
            assert row.figures == by_each_key()
            Snapshot.objects.update(rebuilt_at=life.now + 2 * DAY)
    assert refresh(study, life.now).figures == by_each_key()
    assert SnapshotPart.objects.count() > 1
    assert Session.objects.count() > 2


@pytest.mark.django_db
@pytest.mark.usefixtures("files", "small_parts")
def test_figures_follow_adjudication(now: datetime) -> None:
    study = make_passages(now=now, passages=2)
    for codes in (("correct", "distractor_1"), ("distractor_1", "correct"), ("correct", "distractor_1"), ("other",)):
        listen(study, now, *codes)
        assert refresh(study, now).figures == afresh(study, now)


def rated(now: datetime, people: int = 5, **settings: Any) -> Study:
    """Return a study in which some people have rated a batch each."""
    study = make_study(now=now, systems=("human", "alpha"), protocol__playback="record", **settings)
    for _ in range(people):
        rate(study, now)
    return study


def rate(study: Study, now: datetime) -> None:
    person = Person(study, now).start()
    while not person.filled:
        person.rate({"trap_flawed": "machine"}.get(person.role, "human"))
    batches.validate(pk=person.filled[0], now=person.now)


@pytest.mark.django_db
@pytest.mark.usefixtures("files", "small_parts")
def test_drift_is_logged_and_repaired_at_night(now: datetime, caplog: pytest.LogCaptureFixture) -> None:
    study = rated(now)
    before = refresh(study, now)
    # One that the next refreshes don't look at.
    part = SnapshotPart.objects.order_by("number")[0]
    part.small["counts"]["answers"] += 100
    part.save()
    assert refresh(study, now).figures["answers"] == before.figures["answers"] + 100
    assert caplog.records == []
    snapshots.check_at_night(now + DAY)
    row = Snapshot.objects.get()
    assert row.state == jobs.QUEUED
    with caplog.at_level(logging.ERROR):
        row = refresh(study, now + DAY)
    assert row.figures == afresh(study, now + DAY)
    assert [record.getMessage() for record in caplog.records] == [
        f"The figures of study {study.pk} had drifted in part {part.number}, and are right again."
    ]
    caplog.clear()
    snapshots.check_at_night(now + DAY)
    assert Snapshot.objects.get().state == jobs.DONE
    refresh(study, now + 2 * DAY)
    assert caplog.records == []


@pytest.mark.django_db
@pytest.mark.usefixtures("files", "small_parts")
def test_scores_of_a_large_study_wait_for_one_percent_more_ratings_or_an_hour(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "QUICK", 0)
    monkeypatch.setattr(snapshots, "SHARE", 0.5)
    study = rated(now)
    first = refresh(study, now).figures
    rate(study, now)
    later = now + timedelta(minutes=1)
    second = refresh(study, later).figures
    assert second["answers"] == first["answers"] + 10
    assert second["batches"]["valid"] == first["batches"]["valid"] + 1
    assert (second["scored"], second["scores"]) == (first["scored"], first["scores"])
    for _ in range(5):
        rate(study, now)
    third = refresh(study, later).figures
    assert third == afresh(study, later)
    rate(study, now)
    assert refresh(study, later).figures["scores"] == third["scores"]
    after = later + snapshots.SCORES_STAY
    assert refresh(study, after).figures == afresh(study, after)


@pytest.mark.django_db
@pytest.mark.usefixtures("files", "small_parts")
def test_a_part_with_answers_that_are_being_erased_is_dropped_with_them(now: datetime) -> None:
    study = rated(now)
    refresh(study, now)
    session = Session.objects.order_by("pk")[0]
    requests.delete_answers(session_id=session.pk, now=now)
    refresh(study, now)
    refresh(study, now)
    assert SnapshotPart.objects.filter(number=parts.number_of(session.pk)).exists()
    erasing.carry_out(pk=Erasure.objects.get().pk, clock=lambda: now + DAY)
    assert not SnapshotPart.objects.filter(number=parts.number_of(session.pk)).exists()
    Snapshot.objects.update(rebuilt_at=now + 2 * DAY)
    assert refresh(study, now + DAY).figures == afresh(study, now + DAY)


@pytest.mark.django_db
@pytest.mark.usefixtures("files", "small_parts")
def test_a_refresh_reads_only_parts_that_changed(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    study = rated(now, people=8)
    refresh(study, now)
    refresh(study, now)
    rate(study, now)
    numbers: list[int] = []
    read = parts.read
    monkeypatch.setattr(parts, "read", lambda *asked: numbers.append(asked[1]) or read(*asked))
    refresh(study, now)
    newest = parts.number_of(Session.objects.order_by("-pk")[0].pk)
    assert numbers == [newest]
