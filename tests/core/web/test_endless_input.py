"""What a client sends may nest and count without end: it is refused like any other mistake, and is never an error."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accounts.models import User
from analysis.runs.models import Analysis
from core import clock
from core.web import client_input
from core.web.streaming import byte_range
from raters.models import Answer, TrialClip
from tests.api.caller import token
from tests.raters.payments.test_events import SECRET, send
from tests.raters.payments.world import make as make_paid
from tests.world import Person, audio_url, carry, make_study

DEEPER_THAN_ANY_STACK = 100_000
# So deep that a parser may still read it, and whatever walks through it later may not.
DEEP = 900
NUMBERS = pytest.mark.parametrize("number", ["9" * 5000, "9" * 19])


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("depth", [client_input.DEEPEST + 1, DEEP, DEEPER_THAN_ANY_STACK])
@pytest.mark.parametrize(("opened", "closed"), [('{"a":', "}"), ("[", "]")])
def test_json_that_nests_too_deep_is_as_unreadable_as_what_is_no_json(depth: int, opened: str, closed: str) -> None:
    with pytest.raises(ValueError, match="nest"):
        client_input.json_value(opened * depth + "1" + closed * depth)


def test_json_of_any_width_and_with_any_brackets_in_its_texts_is_read() -> None:
    wide = [{"text": "[" * 1000 + "{" * 1000}] * 1000
    assert client_input.json_value(json.dumps(wide).encode()) == wide
    assert client_input.json_value(nested(client_input.DEEPEST)) == json.loads(nested(client_input.DEEPEST))


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "²", "٣", " 1", "1" * 19, "1" * 5000])
def test_what_no_row_can_be_numbered_by_is_no_number(text: str) -> None:
    assert client_input.whole_number(text) is None


def test_what_a_row_may_be_numbered_by_is_a_number() -> None:
    assert [client_input.whole_number(text) for text in ("0", "0012", "9" * 18)] == [0, 12, 10**18 - 1]


@pytest.mark.parametrize(
    "header", [f"bytes=-{'9' * 5000}", f"bytes={'9' * 5000}-", f"bytes=0-{'9' * 5000}", "bytes=٣-", "bytes=0-9\n"]
)
def test_a_range_that_nobody_can_count_to_can_not_be_had(header: str) -> None:
    assert byte_range(header, 100) is None


@pytest.fixture
def person(db: None, files: Path) -> Person:
    return Person(make_study(now=clock.now()), clock.now()).start()


def test_a_range_of_five_thousand_digits_is_answered_with_416_and_counts_for_nothing(person: Person) -> None:
    answered = carry(person).get(audio_url(person), headers={"Range": f"bytes=-{'9' * 5000}"})
    assert (answered.status_code, answered["Content-Range"].partition("/")[0]) == (416, "bytes *")
    assert not TrialClip.objects.filter(fetched_at__isnull=False).exists()


@pytest.mark.parametrize("depth", [DEEP, DEEPER_THAN_ANY_STACK])
@pytest.mark.parametrize("name", ["played/{key}", "failed/{key}", "answers/{token}"])
def test_a_raters_json_that_nests_too_deep_is_unreadable(person: Person, name: str, depth: int) -> None:
    trial = person.current.trial
    address = f"/rate/{person.study.slug}/api/{name.format(key=trial.clips[0].key, token=trial.token)}"
    sent = {"tab": person.current.tab, "key": str(uuid4()), "answer": {}, "evidence": "…"}
    body = json.dumps(sent, ensure_ascii=False).replace('"…"', nested(depth))
    # With a NUL in it, it is walked through.
    for content in (body, body.replace('"a"', '"\\u0000"')):
        answered = carry(person).post(address, content.encode(), content_type="application/json")
        assert (answered.status_code, answered.json()["error"]) == (400, "unreadable")
    assert not Answer.objects.exists()


@pytest.fixture
def boss(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("boss"))
    return client


@pytest.mark.parametrize("depth", [DEEP, DEEPER_THAN_ANY_STACK])
def test_the_api_answers_json_that_nests_too_deep_with_400(boss: Client, depth: int) -> None:
    headers = {"Authorization": f"Bearer {token(User.objects.get())}"}
    answered = Client().post("/api/v1/studies", nested(depth), content_type="application/json", headers=headers)
    assert (answered.status_code, answered.json()["code"]) == (400, "unreadable")


@pytest.mark.parametrize("depth", [DEEP, DEEPER_THAN_ANY_STACK])
def test_an_archive_announced_in_json_that_nests_too_deep_is_refused(
    boss: Client, files: Path, now: datetime, depth: int
) -> None:
    study = make_study(now=now, launch=False)
    address = f"/studies/{study.slug}/uploads/"
    answered = boss.post(address, nested(depth), content_type="application/json")
    assert answered.status_code == 422


# As deep as a message may be long.
@pytest.mark.parametrize("depth", [DEEP, 15_000])
def test_a_platforms_message_that_nests_too_deep_says_nothing(
    db: None, now: datetime, settings: Any, monkeypatch: pytest.MonkeyPatch, depth: int
) -> None:
    settings.PROLIFIC_HOOK_SECRET = SECRET
    monkeypatch.setattr(clock, "now", lambda: now)
    assert send(make_paid(now), nested(depth).encode()) == 200


@NUMBERS
def test_a_list_of_an_unheard_of_platform_is_not_found(db: None, now: datetime, number: str) -> None:
    made = make_paid(now)
    browser, here = Client(), f"/studies/{made.study.slug}/paying/"
    browser.force_login(made.user)
    assert browser.post(f"{here}unlink", {"platform": number}).status_code == 404
    assert browser.post(f"{here}decide", {"session": number, "payable": "yes"}).status_code == 302


@NUMBERS
@pytest.mark.parametrize(
    ("method", "address", "data", "statuses"),
    [
        ("get", "/studies/{slug}/machines/", {"first": "{number}"}, {404}),
        ("post", "/studies/{slug}/machines/second-look", {"clip": "{number}"}, {302}),
        ("get", "/studies/{slug}/prescreening/", {"metric": "{number}"}, {404}),
        ("post", "/studies/{slug}/experts/", {"revoke": "{number}"}, {200}),
        ("get", "/admin/studies/clip/", {"study__id__exact": "{number}"}, {200, 302}),
        ("get", "/studies/{slug}/analyses/{number}/", {}, {404}),
    ],
)
def test_a_number_that_names_no_row_is_not_found(
    boss: Client,
    files: Path,
    now: datetime,
    number: str,
    method: str,
    address: str,
    data: dict[str, str],
    statuses: set[int],
) -> None:
    study = make_study(now=now)
    answered = getattr(boss, method)(
        address.format(slug=study.slug, number=number),
        {name: value.format(number=number) for name, value in data.items()},
    )
    assert answered.status_code in statuses


@NUMBERS
def test_an_analysis_of_a_version_that_nobody_made_is_refused(
    boss: Client, files: Path, now: datetime, number: str
) -> None:
    study = make_study(now=now)
    answered = boss.post(f"/studies/{study.slug}/analyses/", {"version": number})
    assert answered.status_code < 500
    assert not Analysis.objects.exists()
