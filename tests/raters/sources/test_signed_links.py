"""Links signed by Prolific: which are taken, and how the keys are come by (acceptance test 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from core import clock
from core.errors import Invalid
from raters import sources
from raters.models import KeySet, Session
from raters.sources import signatures
from studies.definition.settings.crowd import Crowd
from studies.models import Study
from tests import world
from tests.raters.knocking import BASE, NOW, knock
from tests.raters.sources.signing import IDS, claims, confused, public, publish, signed, unsigned

PAGE = f"{BASE}/s/voices/"
REQUIRED, OPTIONAL = Crowd(signed_links="required"), Crowd(signed_links="optional")
prolific = sources.get("prolific")


def key_named(name: str, *, now: datetime) -> Mapping[str, Any] | None:
    return signatures.key(name, url=prolific.keys_url, now=now)


def known(name: str) -> dict[str, Any] | None:
    return public(name) if name == "first" else None


def proof(token: str, crowd: Crowd = REQUIRED, ids: dict[str, str] = IDS, now: datetime = NOW) -> str:
    given = {**ids, "prolific_token": token} if token else ids
    return prolific.parse(knock(given, crowd, key=known, now=now)).proof


def refused(token: str, **parts: Any) -> str:
    with pytest.raises(Invalid) as caught:
        proof(token, **parts)
    return caught.value.code


def test_crowd_03_a_good_token_proves_who_it_is() -> None:
    assert proof(signed(claims(NOW, PAGE))) == "signed"


@pytest.mark.parametrize("audience", [BASE, f"{BASE}/", PAGE, f"{BASE}/s/voices", [PAGE, "https://elsewhere.example"]])
def test_crowd_03_the_audience_is_the_site_or_the_study(audience: Any) -> None:
    assert proof(signed(claims(NOW, audience))) == "signed"


@pytest.mark.parametrize(
    "audience",
    [
        "https://elsewhere.example",
        f"{BASE}/s/another/",
        "http://listen.example.org",
        "listen.example.org",
        "",
        [],
        None,
    ],
)
def test_crowd_03_a_token_for_another_audience_is_refused(audience: Any) -> None:
    assert refused(signed(claims(NOW, audience))) == "bad_signature"


@pytest.mark.parametrize(("seconds", "holds"), [(0, True), (179, True), (181, False), (300, False)])
def test_crowd_03_a_token_holds_for_two_minutes_and_one_for_clocks_that_differ(seconds: int, holds: bool) -> None:
    token, at = signed(claims(NOW, PAGE)), NOW + timedelta(seconds=seconds)
    if holds:
        assert proof(token, now=at) == "signed"
    else:
        assert refused(token, now=at) == "expired"


FORGERIES: dict[str, Callable[[dict[str, Any]], str]] = {
    "alg none": unsigned,
    "HS256 with the public key as its secret": confused,
    "a key that isn't the platform's": lambda said: signed(said, "second"),
    "another's signature under a known name": lambda said: (
        signed(said).rpartition(".")[0] + "." + signed(said, "second").rpartition(".")[2]
    ),
    "no token at all": lambda said: "x",
    "three empty parts": lambda said: "..",
    "a body that was changed": lambda said: ".".join(
        [signed(said).split(".")[0], signed({**said, "sub": "other"}).split(".")[1], signed(said).split(".")[2]]
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
@pytest.mark.parametrize("crowd", [REQUIRED, OPTIONAL])
def test_crowd_03_a_forged_token_is_refused(name: str, crowd: Crowd) -> None:
    assert refused(FORGERIES[name](claims(NOW, PAGE)), crowd=crowd) == "bad_signature"


@pytest.mark.parametrize("name", ["exp", "sub", "aud"])
def test_crowd_03_a_token_that_lacks_a_claim_is_refused(name: str) -> None:
    said = claims(NOW, PAGE)
    del said[name]
    assert refused(signed(said)) == "bad_signature"


@pytest.mark.parametrize("name", IDS)
def test_crowd_03_ids_in_the_link_must_be_those_that_were_signed(name: str) -> None:
    assert refused(signed(claims(NOW, PAGE)), ids={**IDS, name: "altered"}) == "bad_signature"


def test_crowd_03_the_session_that_was_signed_is_the_subject() -> None:
    assert refused(signed(claims(NOW, PAGE, sub="another"))) == "bad_signature"


@pytest.mark.parametrize("told", [None, "text", [], {}, {"PROLIFIC_PID": "5f0c"}])
def test_crowd_03_a_token_that_says_nothing_of_the_ids_is_refused(told: Any) -> None:
    assert refused(signed(claims(NOW, PAGE, prolific=told))) == "bad_signature"


def test_crowd_03_ids_are_known_by_every_name_that_a_link_may_give_them() -> None:
    named = {"pid": "5f0c", "study_id": "st-1", "session_id": "se_1"}
    assert proof(signed(claims(NOW, PAGE, prolific=named)), ids={**named}) == "signed"


def test_a_missing_token_is_refused_only_where_it_is_required() -> None:
    assert refused("") == "unsigned"
    assert proof("", crowd=OPTIONAL) == proof("", crowd=Crowd()) == "unsigned"
    assert proof("nonsense", crowd=Crowd()) == "unsigned"


def test_a_key_of_another_kind_opens_nothing() -> None:
    with pytest.raises(Invalid):
        signatures.read(
            signed(claims(NOW, PAGE)), key=lambda name: {"kty": "oct", "k": "c2VjcmV0"}, audience=PAGE, now=NOW
        )


@pytest.fixture
def keys(settings: Any, tmp_path: Path) -> Path:
    """Publish the first key where the product looks for keys."""
    settings.PROLIFIC_JWKS = str(tmp_path / "jwks.json")
    publish(tmp_path / "jwks.json", "first")
    return tmp_path / "jwks.json"


@pytest.mark.django_db
def test_keys_are_read_once_and_kept(keys: Path, now: datetime) -> None:
    assert key_named("first", now=now) == public("first")
    keys.unlink()
    assert key_named("first", now=now + timedelta(hours=5)) == public("first")


@pytest.mark.django_db
def test_crowd_03_an_unknown_key_is_looked_for_once(keys: Path, now: datetime) -> None:
    """A platform that changes its keys is followed; somebody who invents names of keys makes nobody ask."""
    assert key_named("first", now=now)
    publish(keys, "first", "second")
    assert key_named("second", now=now + timedelta(seconds=30)) is None
    assert key_named("second", now=now + timedelta(seconds=61)) == public("second")
    tried = KeySet.objects.get().tried_at
    for seconds in (62, 90, 120):
        assert key_named(f"invented-{seconds}", now=now + timedelta(seconds=seconds)) is None
    assert KeySet.objects.get().tried_at == tried


@pytest.mark.django_db
def test_a_key_that_was_withdrawn_opens_nothing_after_a_day(keys: Path, now: datetime) -> None:
    assert key_named("first", now=now)
    publish(keys, "second")
    signatures.refresh_old(now=now + timedelta(hours=23))
    assert key_named("first", now=now + timedelta(hours=23)) is not None
    signatures.refresh_old(now=now + timedelta(hours=25))
    assert key_named("first", now=now + timedelta(hours=25)) is None
    assert key_named("second", now=now + timedelta(hours=25)) == public("second")


@pytest.mark.django_db
def test_keys_that_nobody_has_asked_for_are_not_fetched(keys: Path, now: datetime) -> None:
    signatures.refresh_old(now=now)
    assert not KeySet.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content", [None, "", "[]", "{}", '{"keys": 1}', '{"keys": ["x", {"kty": "oct", "kid": "k"}]}']
)
def test_keys_that_can_t_be_read_leave_the_old_ones(
    keys: Path, now: datetime, content: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    assert key_named("first", now=now)
    if content is None:
        keys.unlink()
    else:
        keys.write_text(content)
    assert key_named("k", now=now + timedelta(minutes=2)) is None
    if content is None or "oct" not in content:
        assert "could not be read" in caplog.text
        assert key_named("first", now=now + timedelta(minutes=2)) == public("first")


@pytest.mark.django_db
def test_a_place_that_can_t_be_reached_is_no_error_of_the_page(
    settings: Any, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    settings.PROLIFIC_JWKS = "https://127.0.0.1:1/jwks.json"
    assert key_named("first", now=now) is None
    assert "could not be read" in caplog.text


@pytest.fixture
def study(now: datetime, files: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Study:
    settings.BASE_URL = BASE
    monkeypatch.setattr(clock, "now", lambda: now)
    return world.make_study(now=now, crowd__signed_links="required")


@pytest.mark.django_db
def test_crowd_03_a_signed_link_opens_the_study_and_an_altered_one_does_not(
    client: Client, study: Study, keys: Path, now: datetime
) -> None:
    address = f"/s/{study.slug}/"
    token = signed(claims(now, f"{BASE}{address}"))
    altered = client.get(address, {**IDS, "PROLIFIC_PID": "somebody", "prolific_token": token})
    assert (altered.status_code, Session.objects.count()) == (403, 0)
    assert "without changing the address" in altered.text
    bare = client.get(address, IDS)
    assert (bare.status_code, Session.objects.count()) == (403, 0)
    assert client.get(address, {**IDS, "prolific_token": token}).status_code == 303
    assert client.get(address, {**IDS, "prolific_token": token}).status_code == 303
    session = Session.objects.get()
    assert session.proof == "signed"


@pytest.mark.django_db
def test_a_link_that_ran_out_leads_those_on_who_had_begun(
    client: Client, study: Study, keys: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/s/{study.slug}/"
    given = {**IDS, "prolific_token": signed(claims(now, BASE))}
    client.get(address, given)
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(minutes=5))
    late = client.get(address, given)
    assert late.status_code == 403
    assert "This link has expired" in late.text
    assert f'href="/rate/{study.slug}/"' in late.text
    assert client.get(f"/rate/{study.slug}/").status_code == 303
