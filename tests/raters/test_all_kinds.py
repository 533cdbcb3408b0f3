"""Every task type, without being named: served, answered, validated, told to nobody, and exported."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from raters.models import Batch, Rating, Session, TrialClip
from raters.rating import batches
from raters.simulation import simulated_sessions
from studies import task_types
from studies.definition import facts
from studies.launch.states import close
from studies.task_types.base import Listener
from tests import kinds
from tests.world import Person, carry

every_kind = pytest.mark.parametrize("kind", sorted(task_types.by_name()))
# What stands in the material of `tests.kinds`, and what task types call it.
SECRETS = ("alpha", "beta", "broken", "reference/", "golden", "correct", "distractor", "phonetic", "semantic", "text-")


def answer(person: Person) -> dict[str, Any]:
    """Answer the current trial as a careful listener would."""
    frozen = facts.frozen(person.session.version_id)
    trial = person.current.trial
    shown = frozen.kind_shown(trial.shown, [clip.key for clip in trial.clips])
    chance = {"trap_human": 1.0, "trap_flawed": 0.0}.get(person.role, 0.5)
    listener = Listener((chance,) * len(trial.clips))
    return dict(frozen.kind.simulate(frozen.params, shown, listener, Random(1)).model_dump(mode="json"))


def rate(person: Person) -> None:
    person.fetch()
    person.play()
    person.wait(sum(clip.seconds for clip in person.current.trial.clips) + 1)
    person.send(person.submission(answer=answer(person)))


@pytest.mark.django_db
@every_kind
def test_a_whole_session_is_rated_validated_and_usable(kind: str, now: datetime) -> None:
    study = kinds.make(kind, now=now)
    person = Person(study, now).start()
    while not person.is_done:
        rate(person)
    assert batches.validate(pk=person.filled[0], now=person.now) is True
    assert person.session.trials.filter(usable=True).count() == Batch.objects.get().size
    scored = task_types.get(kind).score.part
    assert Rating.objects.filter(part=scored, value__isnull=False, clip__isnull=False).exists()


@pytest.mark.django_db
@every_kind
def test_each_row_is_about_the_clip_shown_at_its_place(kind: str, now: datetime) -> None:
    person = Person(kinds.make(kind, now=now), now).start()
    rate(person)
    for row in Rating.objects.exclude(place=None):
        assert TrialClip.objects.get(trial=row.trial_id, place=row.place).clip_id == row.clip_id


@pytest.mark.django_db
@every_kind
def test_every_clip_of_a_trial_must_have_been_heard(kind: str, now: datetime) -> None:
    person = Person(kinds.make(kind, now=now), now).start()
    person.fetch()
    person.play()
    person.wait(sum(clip.seconds for clip in person.current.trial.clips) - 0.3)
    early = person.submission(answer=answer(person))
    with pytest.raises(Exception, match="whole clip"):
        person.send(early)
    assert not Rating.objects.exists()


@pytest.mark.django_db
@every_kind
def test_an_answer_with_nothing_in_it_is_refused_by_field(kind: str, now: datetime) -> None:
    person = Person(kinds.make(kind, now=now), now).start()
    person.fetch()
    person.play()
    person.wait(30)
    sent = {"tab": person.current.tab, "key": "0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b", "answer": {}}
    url = f"/rate/{person.study.slug}/api/answers/{person.current.trial.token}"
    refused = carry(person).post(url, json.dumps(sent), content_type="application/json")
    assert refused.status_code in {400, 422}
    assert refused.json()["problems"]


@pytest.mark.django_db
@every_kind
def test_pages_and_answers_tell_nothing_that_a_rater_must_not_know(kind: str, now: datetime) -> None:
    person = Person(kinds.make(kind, now=now), now).start()
    browser = carry(person)
    page = browser.get(f"/rate/{person.study.slug}/trial/").content.decode()
    said = [page[page.index('id="trial"') :]]
    person.load()
    while not person.is_done:
        person.fetch()
        person.play()
        person.wait(sum(clip.seconds for clip in person.current.trial.clips) + 1)
        submission = person.submission(answer=answer(person))
        sent = {"tab": submission.tab, "key": str(submission.key), "answer": submission.answer}
        url = f"/rate/{person.study.slug}/api/answers/{submission.token}"
        person.send(submission)
        response = browser.post(url, json.dumps(sent), content_type="application/json")
        said.append(response.content.decode())
    for told in said:
        for secret in SECRETS:
            words = {f'"{secret}"', f"{secret}/", f">{secret}", f"'{secret}"}
            assert not [word for word in words if word in told.lower()], secret


@pytest.mark.django_db
@every_kind
def test_simulated_raters_and_the_export_meet_it_like_any_other(kind: str, now: datetime, tmp_path: Path) -> None:
    study = kinds.make(kind, now=now)
    summary = simulated_sessions.simulate(study_id=study.pk, raters=4, seed=1, careless=0.25, now=now)
    assert summary.answers == sum(Batch.objects.values_list("size", flat=True))
    assert set(Session.objects.values_list("outcome", flat=True)) == {"complete"}
    close(study=study)
    call_command("export_study", study.slug, out=tmp_path, simulated="only", verbosity=0)
    [file] = tmp_path.rglob("ratings.csv")
    with file.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == Rating.objects.count()
    task = task_types.get(kind)
    assert {row["part"] for row in rows} <= set(task.columns)
    assert {row["system"] for row in rows if row["part"] == task.score.part} >= {"alpha", "beta"}
