"""What a crowd does to the service, numbered as the acceptance tests of a crowd's platform: 2, 11 and 12."""

from __future__ import annotations

import json
import threading
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client

from core import clock
from raters.models import Batch, Session, Trial
from raters.rating import trials
from raters.sessions import lifecycle
from raters.sources.base import RaterArrival
from studies.models import System
from tests.world import REASON, Person, audio_url, carry, make_study

PEOPLE, PLACES = 50, 10


@pytest.mark.django_db(transaction=True)
def test_crowd_02_fifty_people_at_once_get_the_last_ten_places_and_none_twice(now: datetime, files: Path) -> None:
    study = make_study(
        now=now,
        systems=("alpha",),
        texts=PLACES,
        protocol__ratings_wanted=1,
        protocol__tests_per_batch=1,
        protocol__human_traps=1,
        protocol__batches_per_session=1,
    )
    together, failed = threading.Barrier(PEOPLE), []

    def come(number: int) -> None:
        try:
            together.wait(60)
            arrival = RaterArrival("prolific", f"p{number}", "ext", f"s{number}")
            session = lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now)
            lifecycle.consent(session_id=session.pk, agreed=True, now=now)
            lifecycle.begin(session_id=session.pk, now=now)
            trials.enter(session_id=session.pk, now=now, rng=Random(number))
        except Exception as error:
            failed.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=come, args=(number,)) for number in range(PEOPLE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failed == []
    assert (Session.objects.count(), Batch.objects.count()) == (PEOPLE, PLACES)
    assert Session.objects.filter(outcome="no_place", payable=False).count() == PEOPLE - PLACES
    taken = list(Trial.objects.filter(pool__isnull=False, surplus=False).values_list("pool", flat=True))
    assert len(taken) == len(set(taken)) == PLACES


@pytest.fixture
def person(files: Path) -> Person:
    return Person(make_study(now=clock.now(), texts=24, seconds=2.0), clock.now()).start()


def send(client: Client, person: Person, token: str, **parts: Any) -> Any:
    body = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}, **parts}
    return client.post(f"/rate/{person.study.slug}/api/answers/{token}", body, content_type="application/json")


@pytest.mark.django_db
def test_crowd_11_early_reused_and_foreign_answers_are_refused_and_a_replay_is_not(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An early answer is 425 with the time to wait, so that the page sends it again by itself."""
    monkeypatch.setattr(clock, "now", lambda: person.now)
    client, token = carry(person), person.current.trial.token
    assert client.get(audio_url(person)).getvalue()
    person.play()
    early = send(client, person, token)
    assert (early.status_code, early.json()["error"]) == (425, "too_early")
    assert int(early["Retry-After"]) >= 1
    stranger = Person(person.study, person.now).start()
    assert send(client, person, stranger.current.trial.token).status_code == 404
    person.fetch()
    person.wait(5)
    first = person.submission(key=uuid4())
    page = person.current
    person.send(first)
    again = {"tab": page.tab, "key": str(first.key), "answer": first.answer}
    replay = client.post(
        f"/rate/{person.study.slug}/api/answers/{token}", {**again, "evidence": {}}, content_type="application/json"
    )
    assert (replay.status_code, replay.json()["position"]) == (200, 2)
    reused = client.post(
        f"/rate/{person.study.slug}/api/answers/{token}",
        {**again, "key": str(uuid4())},
        content_type="application/json",
    )
    assert (reused.status_code, reused.json()["error"]) == (409, "already_answered")


@pytest.mark.django_db
def test_crowd_12_audio_is_sent_in_ranges_under_names_that_mean_nothing(person: Person) -> None:
    client, address = carry(person), audio_url(person)
    probe = client.get(address, headers={"Range": "bytes=0-1"})
    assert (probe.status_code, probe.getvalue()) == (206, b"RI")
    assert str(probe["Content-Range"]).startswith("bytes 0-1/")
    assert client.get(address, headers={"Range": "bytes=99999999-"}).status_code == 416
    assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(probe.headers)
    # "human" is what one may answer, too.
    names = [*System.objects.exclude(name="human").values_list("name", flat=True), ".wav", "trap"]
    assert not [name for name in names if name in json.dumps(dict(probe.headers)) or name in address]
    told = client.get(f"/rate/{person.study.slug}/api/current?tab={person.current.tab}").text
    assert not [name for name in names if name in told]


@pytest.mark.django_db
def test_crowd_12_one_clip_has_another_address_for_everybody(now: datetime, files: Path) -> None:
    study = make_study(now=now, systems=("alpha",), texts=7, flawed=1, humans=2, protocol__batches_per_session=1)
    people = [Person(study, now).start() for _ in range(2)]
    named = Trial.objects.values_list("clips__clip", "clips__key")
    assert len({clip for clip, _key in named}) == 10
    assert len({key for _clip, key in named}) == 10 * len(people)
