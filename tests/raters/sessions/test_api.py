"""The JSON endpoints and the audio view, over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from core import clock
from core.web.streaming import byte_range
from raters.models import Answer, Session, TrialClip
from studies.models import Clip
from tests.world import REASON, Person, audio_url, carry, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(files: Any) -> Person:
    return Person(make_study(now=clock.now(), texts=24), clock.now()).start()


@pytest.fixture
def client(person: Person) -> Client:
    return carry(person)


def url(person: Person, rest: str) -> str:
    return f"/rate/{person.study.slug}/{rest}"


def post(client: Client, address: str, body: dict[str, Any]) -> Any:
    return client.post(address, body, content_type="application/json")


def test_an_answer_comes_back_with_the_next_trial(person: Person, client: Client) -> None:
    person.study.versions.update(definition={**person.study.draft, "protocol": {"playback": "record"}})
    from studies.definition import facts

    facts.frozen.cache_clear()
    trial = person.current.trial
    body = {
        "tab": person.current.tab,
        "key": str(uuid4()),
        "answer": {"label": "unclear", "reason": REASON},
        "evidence": {"hidden_ms": 3},
    }
    first = post(client, url(person, f"api/answers/{trial.token}"), body)
    assert first.status_code == 200
    assert first.json()["position"] == 2
    again = post(client, url(person, f"api/answers/{trial.token}"), body)
    assert (again.status_code, again.json()["trial"]["token"]) == (200, first.json()["trial"]["token"])
    other = post(client, url(person, f"api/answers/{trial.token}"), {**body, "key": str(uuid4())})
    assert (other.status_code, other.json()["error"]) == (409, "already_answered")
    assert other.json()["progress"]["trial"]["token"] == first.json()["trial"]["token"]
    assert Answer.objects.get().evidence == {"hidden_ms": 3}


def test_an_early_answer_is_425_with_retry_after(person: Person, client: Client) -> None:
    body = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
    response = post(client, url(person, f"api/answers/{person.current.trial.token}"), body)
    assert (response.status_code, response.json()["error"]) == (425, "not_played")
    assert int(response["Retry-After"]) >= 1
    assert Answer.objects.count() == 0


def test_listening_opens_the_way_to_the_answer(person: Person, client: Client) -> None:
    sound = client.get(audio_url(person))
    assert b"".join(sound).startswith(b"RIFF")  # type: ignore[call-overload]
    key = person.current.trial.clips[0].key
    assert post(client, url(person, f"api/played/{key}"), {"tab": person.current.tab}).json() == {}
    row = TrialClip.objects.get(key=key)
    assert row.fetched_at is not None
    assert row.play_began_at is not None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "tab"),
        ({"tab": "x", "key": "no", "answer": {}}, "key"),
        ({"tab": "x", "key": str(uuid4()), "answer": {}, "more": 1}, "more"),
        ({"tab": "x", "key": str(uuid4()), "answer": {}, "evidence": {"long": "x" * 30_000}}, "evidence.long"),
        (
            {"tab": "x", "key": str(uuid4()), "answer": {}, "evidence": {"inputs": {"text": "x"}}},
            "evidence.inputs.text",
        ),
        ({"tab": "x", "key": str(uuid4()), "answer": {}, "evidence": []}, "evidence"),
    ],
)
def test_a_malformed_answer_names_its_field(person: Person, client: Client, body: dict[str, Any], field: str) -> None:
    response = post(client, url(person, f"api/answers/{person.current.trial.token}"), body)
    assert response.status_code == 422
    assert field in response.json()["problems"]


def test_without_a_cookie_there_is_nothing(person: Person) -> None:
    stranger = Client()
    assert stranger.get(url(person, "api/current")).status_code == 404
    assert stranger.get(audio_url(person)).status_code == 404


def test_another_raters_token_and_audio_do_not_exist(person: Person) -> None:
    stranger = carry(Person(person.study, clock.now()).start())
    body = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
    assert post(stranger, url(person, f"api/answers/{person.current.trial.token}"), body).status_code == 404
    assert stranger.get(audio_url(person)).status_code == 404


def test_a_cookie_of_one_study_opens_no_other(person: Person, client: Client) -> None:
    other = make_study(now=clock.now())
    assert client.get(f"/rate/{other.slug}/api/current").status_code == 404


def test_audio_is_open_for_the_current_and_the_next_trial_alone(person: Person, client: Client) -> None:
    def status(position: int) -> int:
        key = TrialClip.objects.get(trial__session=person.session, trial__position=position).key
        return client.get(url(person, f"audio/{key}")).status_code

    assert [status(1), status(2), status(3)] == [200, 200, 404]
    person.now = clock.now()
    person.rate()
    assert [status(1), status(2), status(3), status(4)] == [404, 200, 200, 404]


def test_ranges_are_served_and_a_head_counts_for_nothing(person: Person, client: Client) -> None:
    size = TrialClip.objects.select_related("clip").get(key=person.current.trial.clips[0].key).clip.rendition_bytes
    probe = client.get(audio_url(person), headers={"Range": "bytes=0-1"})
    assert (probe.status_code, b"".join(probe), probe["Content-Range"]) == (206, b"RI", f"bytes 0-1/{size}")  # type: ignore[call-overload]
    assert client.get(audio_url(person), headers={"Range": "bytes=999999-"}).status_code == 416
    assert client.head(audio_url(person))["Content-Length"] == str(size)
    row = TrialClip.objects.get(key=person.current.trial.clips[0].key)
    assert (row.fetched_at, row.sent) == (None, [[0, 2]])


def test_audio_headers_are_the_same_for_every_clip(person: Person, client: Client) -> None:
    response = client.get(audio_url(person))
    assert set(response.headers) <= {
        "Accept-Ranges", "Cache-Control", "Content-Length", "Content-Type", "Cross-Origin-Resource-Policy",
        "Content-Security-Policy", "Cross-Origin-Opener-Policy", "Permissions-Policy", "Referrer-Policy",
        "X-Content-Type-Options", "X-Frame-Options",
    }  # fmt: skip
    assert (response["Content-Type"], response["Cache-Control"]) == ("audio/wav", "private, max-age=3600, immutable")


def test_a_browser_keeps_what_was_sent_and_no_refusal(person: Person, client: Client) -> None:
    kept = "private, max-age=3600, immutable"
    assert client.get(audio_url(person), headers={"Range": "bytes=0-1"})["Cache-Control"] == kept
    assert client.head(audio_url(person))["Cache-Control"] == kept
    beyond = client.get(audio_url(person), headers={"Range": "bytes=999999-"})
    missing = client.get(url(person, "audio/nothing"))
    assert {beyond["Cache-Control"], missing["Cache-Control"]} == {"private, no-store"}
    assert not any("ETag" in each.headers for each in (beyond, missing, client.get(audio_url(person))))


def test_the_page_is_told_no_role_no_system_and_no_file(person: Person, client: Client) -> None:
    text = client.get(url(person, f"api/current?tab={person.current.tab}")).content.decode()
    for word in ("trap", "system", "alpha", "beta", "broken", "wav", "role", "voice", "text-"):
        assert word not in text


def test_a_full_batch_goes_to_the_worker(person: Person, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from raters.sessions import api as sessions_api

    nudged: list[int] = []
    monkeypatch.setattr(sessions_api, "nudge", lambda task, pk: nudged.append(pk))
    person.now = clock.now()
    for _ in range(9):
        person.rate()
    person.fetch()
    person.play()
    TrialClip.objects.filter(key=person.current.trial.clips[0].key).update(
        play_began_at=datetime(2026, 1, 1).astimezone()
    )
    body = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
    assert post(client, url(person, f"api/answers/{person.current.trial.token}"), body).json()["set"] == 2
    assert nudged == [Session.objects.get().batches.get(number=1).pk]


@pytest.mark.parametrize(
    ("header", "span"),
    [
        ("bytes=0-", (0, 100)),
        ("bytes=10-19", (10, 20)),
        ("bytes=90-500", (90, 100)),
        ("bytes=-5", (95, 100)),
        ("bytes=-500", (0, 100)),
        ("bytes=-0", None),
        ("bytes=100-", None),
        ("bytes=5-4", None),
        ("bytes=-", None),
        ("bytes=0-1,5-6", None),
        ("lines=0-1", None),
    ],
)
def test_byte_ranges(header: str, span: tuple[int, int] | None) -> None:
    assert byte_range(header, 100) == span


def test_a_nul_in_a_reason_is_left_out_and_the_rest_is_kept(person: Person, client: Client) -> None:
    person.fetch()
    person.play()
    TrialClip.objects.filter(trial__session=person.session).update(play_began_at=datetime(2026, 1, 1).astimezone())
    body = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": f"\0{REASON}\0"}}
    assert post(client, url(person, f"api/answers/{person.current.trial.token}"), body).status_code == 200
    assert Answer.objects.get().reason == REASON
    for address in ("audio/%00", "api/answers/%00", "api/played/%00"):
        assert post(client, url(person, address), body).status_code == 404


def test_how_long_the_original_is_says_nothing(person: Person, client: Client) -> None:
    """Originals at other rates have other lengths within the 20 ms that the rendition is filled up to."""
    replies = []
    for seconds in (1.0201, 1.0263125, 1.04):
        Clip.objects.update(duration=seconds)
        shown = client.get(url(person, f"api/current?tab={person.current.tab}")).json()
        body = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
        early = post(client, url(person, f"api/answers/{person.current.trial.token}"), body)
        assert early.status_code == 425
        replies.append((shown["trial"]["clips"][0]["seconds"], early.json()["retry_after"]))
    assert len(set(replies)) == 1
    assert replies[0][0] == 1.04
