"""What a deployment promises: cookies, headers, hosts, logs and messages that give nothing away."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.core import signing
from django.test import Client
from kombu import serialization
from kombu.exceptions import ContentDisallowed

from core import clock
from core.paths import ROOT
from core.web.middleware import POLICY
from raters.people import cookies
from raters.rating import trials
from raters.sessions import lifecycle
from tests.world import REASON, Person, audio_url, carry, make_study

pytestmark = pytest.mark.django_db

BASE = "https://listening.example.org"
PRODUCTION = """
import json
from django.conf import settings
names = [name for name in dir(settings) if name.startswith(("SECURE_", "SESSION_COOKIE_", "CSRF_COOKIE_", "X_FRAME"))]
names += ["HTTPS", "BASE_URL", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "MIDDLEWARE", "DEBUG"]
print(json.dumps({name: getattr(settings, name) for name in names}))
"""
IDS = {"PROLIFIC_PID": "pid5f3a9c", "STUDY_ID": "ext77d2e1", "SESSION_ID": "visit90b4"}


@cache
def production() -> dict[str, Any]:
    """Return what the product's settings say on a server that is reached by https."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("EARSHOT_", "DJANGO_"))}
    given = {"EARSHOT_SECRET_KEY": "k" * 60, "EARSHOT_BASE_URL": BASE, "DJANGO_SETTINGS_MODULE": "config.settings"}
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'platform')!r}]\n{PRODUCTION}"
    done = subprocess.run([sys.executable, "-c", code], env=clean | given, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class Https(Client):
    """A browser that knows https alone."""

    def generic(self, *args: Any, **extra: Any) -> Any:
        return super().generic(*args, **{"HTTP_HOST": "listening.example.org", **extra, "secure": True})


@pytest.fixture
def online(settings: Any) -> None:
    """Answer as that server does."""
    for name, value in production().items():
        setattr(settings, name, value)


@pytest.fixture
def person(files: Path) -> Person:
    return Person(make_study(now=clock.now(), texts=24), clock.now()).start()


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("rosa", password="pw"))
    return client


def test_over_https_every_response_is_guarded(online: None, person: Person, staff: Client) -> None:
    slug = person.study.slug
    rater, researcher = Https(), Https()
    rater.cookies, researcher.cookies = carry(person).cookies, staff.cookies
    answers = [
        (address, client.get(address))
        for client, address in (
            (rater, "/"), (rater, "/healthz"), (rater, "/nothing-here/"), (rater, f"/s/{slug}/"), (rater, "/s/none/"),
            (rater, f"/rate/{slug}/trial/"), (rater, f"/rate/{slug}/api/current"), (rater, audio_url(person)),
            (rater, f"/rate/{slug}/audio/nothing"), (rater, f"/rate/{slug}/api/nothing"), (rater, "/admin/login/"),
            (rater, "/static/css/earshot.css"), (rater, "/static/img/earshot.svg"), (rater, f"/studies/{slug}/"),
            (researcher, f"/studies/{slug}/"), (researcher, "/admin/"), (researcher, "/admin/studies/study/"),
        )
    ]  # fmt: skip
    for address, response in answers:
        assert response.status_code != 301, address
        assert response["Content-Security-Policy"] == POLICY, address
        assert response["Strict-Transport-Security"].startswith("max-age=31536000"), address
        assert response["X-Content-Type-Options"] == "nosniff", address
        assert response["Referrer-Policy"] == "same-origin", address
        assert {"autoplay=(self)", "microphone=()", "camera=()"} <= set(response["Permissions-Policy"].split(", "))
        if not address.startswith("/static/"):
            assert response["X-Frame-Options"] == "DENY", address


def test_scripts_and_styles_come_from_this_server_alone() -> None:
    rules = dict(rule.strip().split(" ", 1) for rule in POLICY.split(";"))
    assert rules["default-src"] == rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["object-src"] == rules["base-uri"] == "'none'"
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & set(POLICY.replace(";", " ").split())


def test_over_https_every_cookie_is_secure_and_closed_to_scripts(online: None, files: Path) -> None:
    study = make_study(now=clock.now())
    get_user_model().objects.create_superuser("rosa", password="pw")
    client = Https()
    client.get(f"/s/{study.slug}/", data=IDS, follow=True)
    client.get("/admin/login/")
    client.post("/admin/login/", {"username": "rosa", "password": "pw"})
    rater, session = f"__Host-earshot_rater-{study.slug}", "__Host-sessionid"
    assert set(client.cookies) == {rater, session, "__Host-csrftoken"}
    for name, cookie in client.cookies.items():
        # What a browser asks of a cookie of this name.
        assert (name, cookie["secure"], cookie["path"], cookie["domain"]) == (name, True, "/", "")
        assert (name, cookie["samesite"]) == (name, "Lax")
    assert client.cookies[rater]["httponly"]
    assert client.cookies[session]["httponly"]


def test_plain_http_is_led_to_https(online: None) -> None:
    response = Client(HTTP_HOST="listening.example.org").get("/s/voices/?PROLIFIC_PID=p")
    assert (response.status_code, response["Location"]) == (301, f"{BASE}/s/voices/?PROLIFIC_PID=p")


def test_the_raters_cookie_goes_to_its_study_alone(person: Person) -> None:
    cookie = carry(person).cookies[cookies.NAME]
    assert cookie["path"] == f"/rate/{person.study.slug}/"
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 7 * 24 * 3600)


def tampered(person: Person) -> Iterator[tuple[str, str]]:
    """Yield cookies that must open nothing: {what was done: value}."""
    good = carry(person).cookies[cookies.NAME].value
    body, stamp, signature = good.split(":")
    slug, pk = person.study.slug, person.session.pk
    yield "nothing", ""
    yield "a bare number", str(pk)
    yield (
        "another session under the same signature",
        f"{signing.b64_encode(str(pk + 1).encode()).decode()}:{stamp}:{signature}",
    )
    yield "a later date", f"{body}:{stamp[:-1]}{'a' if stamp[-1] != 'a' else 'b'}:{signature}"
    yield "one letter of the signature", f"{body}:{stamp}:{'A' if signature[0] != 'A' else 'B'}{signature[1:]}"
    yield "no signature", f"{body}:{stamp}:"
    yield "another study's", signing.dumps(pk, salt="raters.session.another")
    yield "no salt", signing.dumps(pk)
    yield "another server's key", signing.dumps(pk, key="another", salt=f"raters.session.{slug}")
    yield "too large", "x" * 4000


def test_a_tampered_or_foreign_cookie_is_refused(person: Person) -> None:
    slug = person.study.slug
    for done, value in tampered(person):
        client = Client()
        client.cookies[cookies.NAME] = value
        assert client.get(f"/rate/{slug}/trial/").status_code == 403, done
        assert client.get(f"/rate/{slug}/api/current").status_code == 404, done
        assert client.get(audio_url(person)).status_code == 404, done


def test_an_old_cookie_is_refused(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    client = carry(person)
    assert client.get(f"/rate/{person.study.slug}/trial/").status_code == 200
    monkeypatch.setattr(cookies, "MAX_AGE", -1)
    assert client.get(f"/rate/{person.study.slug}/trial/").status_code == 403


def test_what_another_site_could_post_is_refused(person: Person) -> None:
    # Another site can send forms and plain text without asking, but no JSON; pages with forms carry a token.
    client = carry(person)
    client.handler.enforce_csrf_checks = True
    slug, token = person.study.slug, person.current.trial.token
    letter = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
    for address in (f"/rate/{slug}/api/{name}/{token}" for name in ("answers", "played", "failed")):
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"):
            assert client.post(address, json.dumps(letter), content_type=kind).status_code == 415
    assert client.post(f"/rate/{slug}/leave/").status_code == 403


def test_a_foreign_host_is_refused(online: None) -> None:
    response = Https().get("/", HTTP_HOST="evil.example")
    assert response.status_code == 400
    assert b"evil" not in response.content


def test_public_links_come_from_the_base_url_whatever_the_host_says(
    settings: Any, person: Person, staff: Client
) -> None:
    settings.BASE_URL, settings.ALLOWED_HOSTS = BASE, ["*"]
    staff.defaults["HTTP_HOST"] = "evil.example"
    slug = person.study.slug
    shown = staff.get(f"/studies/{slug}/results/").content.decode()
    assert f"{BASE}/s/{slug}/" in shown
    assert "evil.example" not in shown
    arrived = staff.get(f"/s/{slug}/", data=IDS)
    assert arrived["Location"] == f"/rate/{slug}/consent/"


def test_no_code_reads_the_host_header() -> None:
    asks = re.compile(r"build_absolute_uri|get_host\(|HTTP_HOST|get_current_site|SERVER_NAME")
    folders = ("platform", "studies", "raters", "analysis", "templates")
    sources = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".html"})
    assert [str(path) for path in sources if asks.search(path.read_text(encoding="utf-8"))] == []


def test_the_sign_in_page_does_not_tell_who_exists() -> None:
    users = get_user_model().objects
    users.create_superuser("rosa", password="right")
    users.create_user("idle", password="right", is_staff=True, is_active=False)
    users.create_user("plain", password="right")
    said = set()
    for name, password in (
        ("rosa", "wrong"),
        ("nobody", "wrong"),
        ("idle", "right"),
        ("plain", "right"),
        ("plain", "x"),
    ):
        response = Client().post("/admin/login/", {"username": name, "password": password})
        page = response.content.decode().replace(f'value="{name}"', 'value="…"')
        page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)
        said.add((response.status_code, page))
    assert len(said) == 1


def test_a_stranger_does_not_learn_which_studies_there_are(person: Person) -> None:
    slug = person.study.slug
    for page in ("", "export", "figures"):
        real, none = (Client().get(f"/studies/{name}/{page}") for name in (slug, "none"))
        assert (real.status_code, real["Location"].replace(slug, "none")) == (none.status_code, none["Location"])
    assert slug not in Client().get("/").content.decode()


def test_an_error_shows_and_logs_no_secret(
    files: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, settings: Any
) -> None:
    caplog.set_level(logging.INFO)
    study = make_study(now=clock.now(), texts=24)
    client = Client(raise_request_exception=False)
    arrive = f"/s/{study.slug}/"

    def broken(**_: Any) -> None:
        raise RuntimeError("The database is on fire.")

    with monkeypatch.context() as patch:
        patch.setattr(lifecycle, "arrive", broken)
        failed = [client.get(arrive, data=IDS)]
    client.get(arrive, data={**IDS, "STUDY_ID": "{{%STUDY_ID%}}"})
    client.get(arrive, data=IDS)
    client.get(arrive, data={**IDS, "PROLIFIC_PID": "pid-other81"})
    person = Person(study, clock.now()).start()
    trial = person.current.trial
    rater = carry(person)
    rater.raise_request_exception = False
    letter = {"tab": person.current.tab, "key": str(uuid4()), "answer": {"label": "human", "reason": REASON}}
    addresses = f"/rate/{study.slug}/api/answers/{trial.token}", f"/rate/{study.slug}/api/played/{trial.clips[0].key}"
    for address in addresses:
        rater.post(address, letter, content_type="application/json")
    with monkeypatch.context() as patch:
        patch.setattr(trials, "submit", broken)
        failed.append(rater.post(addresses[0], letter, content_type="application/json"))
        patch.setattr("raters.sessions.api.rendition", broken)
        failed.append(rater.get(audio_url(person)))
    assert [response.status_code for response in failed] == [500, 500, 500]
    assert "The database is on fire." in caplog.text, "an error that nobody can read about helps nobody"
    secrets = {
        *IDS.values(), "pid-other81", person.name, trial.token, trial.clips[0].key, person.current.tab, letter["key"],
        REASON, settings.SECRET_KEY, study.secret, rater.cookies[cookies.NAME].value,
    }  # fmt: skip
    shown = "".join(response.content.decode() for response in failed)
    assert [secret for secret in secrets if secret in caplog.text] == []
    assert [secret for secret in {*secrets, "on fire", "Traceback"} if secret in shown] == []


def test_workers_refuse_what_is_not_json() -> None:
    from config.celery import app

    assert set(app.conf.accept_content) == {"json"}
    assert (app.conf.task_serializer, app.conf.result_backend) == ("json", None)
    for kind, encoding in (("application/x-python-serialize", "binary"), ("application/x-yaml", "utf-8")):
        with pytest.raises(ContentDisallowed):
            serialization.loads(b"", kind, encoding, accept=app.conf.accept_content)


def test_debug_is_off_unless_it_is_asked_for() -> None:
    assert production()["DEBUG"] is False
    assert production()["HTTPS"] is True
