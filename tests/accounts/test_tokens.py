"""Tokens in the admin: made and shown once, seen by their owner alone, revoked."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from accounts.models import ApiToken, User
from accounts.tokens import services as tokens_services
from accounts.tokens.services import by_secret
from core import clock
from core.errors import Invalid
from tests.api.caller import Caller, token
from tests.researchers import logged_in, researcher, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
LIST, ADD = "admin:accounts_apitoken_changelist", "admin:accounts_apitoken_add"
SHOWN = re.compile(r'value="(esh_[\w-]{43})"')


def made(user: User, **data: object) -> tuple[str, str]:
    """Make a token in the admin; return the page that answers, and the token on it."""
    page = logged_in(user).post(
        reverse(ADD), {"name": "nightly export", "scopes": ["results:read", "results:write"], **data}
    )
    html = text(page)
    found = SHOWN.search(html)
    assert found, html
    assert "no-store" in page["Cache-Control"]
    return html, found[1]


def test_a_token_is_shown_once_and_kept_as_a_hash() -> None:
    rita = researcher("rita")
    _html, secret = made(rita)
    row = ApiToken.objects.get()
    assert (row.owner, row.scopes, row.name) == (rita, ["results:read", "results:write"], "nightly export")
    assert secret.startswith(row.prefix)
    assert len(row.prefix) == 10
    assert by_secret(secret) == row
    kept = " ".join(map(str, (*ApiToken.objects.values_list()[0], *LogEntry.objects.values_list())))
    assert secret not in kept
    assert Caller(secret).get("/me").json()["scopes"] == row.scopes
    browser = logged_in(rita)
    for page in (reverse(LIST), reverse("admin:accounts_apitoken_change", args=[row.pk])):
        html = text(browser.get(page))
        assert row.prefix in html
        assert secret not in html
        assert row.digest not in html


def test_no_two_tokens_are_alike() -> None:
    rita = researcher("rita")
    assert len({token(rita) for _ in range(20)}) == 20


def test_everybody_sees_their_own_tokens_and_a_superuser_all() -> None:
    rita, otto = researcher("rita"), researcher("otto")
    root = User.objects.create_superuser("root", password="pw")
    token(rita)
    row = ApiToken.objects.get()
    assert row.prefix in text(logged_in(rita).get(reverse(LIST)))
    assert row.prefix not in text(logged_in(otto).get(reverse(LIST)))
    assert row.prefix in text(logged_in(root).get(reverse(LIST)))
    logged_in(otto).post(reverse(LIST), {"action": "revoke", "_selected_action": [row.pk]})
    row.refresh_from_db()
    assert row.revoked_at is None


def test_a_revoked_token_lets_nobody_in_from_the_next_request_on() -> None:
    rita = researcher("rita")
    caller = Caller(token(rita))
    assert caller.get("/me").status_code == 200
    row = ApiToken.objects.get()
    browser = logged_in(rita)
    browser.post(reverse(LIST), {"action": "revoke", "_selected_action": [row.pk]})
    assert caller.get("/me").status_code == 401
    assert "1 token is revoked." in text(browser.get(reverse(LIST)))
    assert not tokens_services.revoke(token=row, now=clock.now())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"scopes": []}, "This field is required."),
        ({"scopes": ["everything"]}, "Select a valid choice."),
        ({"expires_at": "2020-01-01"}, "Choose a day to come, or none."),
    ],
)
def test_a_token_that_makes_no_sense_is_not_made(data: dict[str, object], message: str) -> None:
    sent = {"name": "x", "scopes": ["studies:read"], **data}
    assert message in text(logged_in(researcher("rita")).post(reverse(ADD), sent))
    assert not ApiToken.objects.exists()


def test_a_token_may_end_by_itself() -> None:
    day = (clock.now() + timedelta(days=30)).date()
    html, _secret = made(researcher("rita"), expires_at=day.isoformat())
    assert ApiToken.objects.get().expires_at == datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
    assert "It works until" in html


def test_no_token_is_changed_or_deleted() -> None:
    rita = researcher("rita")
    token(rita)
    row = ApiToken.objects.get()
    for page in ("change", "delete"):
        url = reverse(f"admin:accounts_apitoken_{page}", args=[row.pk])
        assert logged_in(rita).post(url, {"name": "other"}).status_code == 403
    assert ApiToken.objects.get().name == "test"


def test_the_service_refuses_what_the_form_does() -> None:
    rita, now = researcher("rita"), clock.now()
    for name, scopes, until in (("", ["studies:read"], None), ("x", [], None), ("x", ["studies:read"], now)):
        with pytest.raises(Invalid):
            tokens_services.create(owner=rita, name=name, scopes=scopes, now=now, expires_at=until)
