"""How often somebody may ask: each limit refuses plainly, says when to come back, and forgets who it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client, RequestFactory

from accounts.models import WrongPasswords
from core import clock
from core.models import Count
from core.web import limits
from raters.models import Session
from tests.world import Person, carry, make_study

ONE, OTHER = "198.51.100.7", "203.0.113.9"


class Clock:
    """The wall clock, that moves when told; at first, a quarter of a minute is gone."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, 30, 15, tzinfo=UTC)

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moving = Clock()
    monkeypatch.setattr(clock, "now", lambda: moving.now)
    return moving


@pytest.mark.django_db
def test_beyond_the_most_within_a_minute_is_refused_and_the_next_minute_begins_anew(wall: Clock) -> None:
    for _ in range(3):
        limits.spend("arrival", ONE, 3)
    limits.spend("arrival", OTHER, 3)
    limits.spend("sign in", ONE, 3)
    with pytest.raises(limits.TooMany) as refused:
        limits.spend("arrival", ONE, 3)
    assert (refused.value.status, refused.value.retry_after) == (429, 45)
    wall.wait(60)
    limits.spend("arrival", ONE, 3)


@pytest.mark.django_db
def test_without_a_limit_nothing_is_counted(wall: Clock) -> None:
    for _ in range(100):
        limits.spend("arrival", ONE, 0)
    assert not Count.objects.exists()


@pytest.mark.django_db
def test_no_address_is_kept_and_its_key_changes_every_minute(wall: Clock) -> None:
    for _ in range(2):
        limits.spend("arrival", ONE, 3)
        wall.wait(60)
    keys = Count.objects.values_list("key", flat=True)
    assert len(set(keys)) == 2
    assert not [key for key in keys if ONE in key]


@pytest.mark.django_db
def test_counts_are_deleted_when_they_are_over(wall: Clock) -> None:
    limits.spend("arrival", ONE, 3)
    limits.spend_try(ONE, "rosa", 3, wall.now)
    wall.wait(121)
    limits.forget_expired(wall.now)
    assert Count.objects.count() == 2
    wall.wait(24 * 3600)
    limits.forget_expired(wall.now)
    assert not Count.objects.exists()


def test_a_session_s_requests_are_counted_without_a_query(wall: Clock) -> None:
    meter = limits.Meter(2)
    for who in ("one", "one", "other"):
        meter.spend(who)
    with pytest.raises(limits.TooMany):
        meter.spend("one")
    wall.wait(60)
    meter.spend("one")
    assert meter.counts == {"one": 1}


@pytest.mark.parametrize(
    ("is_behind_proxy", "forwarded", "expected"),
    [
        (False, OTHER, ONE),
        (True, OTHER, OTHER),
        # Whoever asks may write what they like before what our own proxy writes.
        (True, f"10.0.0.1, {OTHER}", OTHER),
        (True, "", ONE),
        (True, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (True, "nonsense", "nonsense"),
    ],
)
def test_the_address_is_the_proxy_s_word_only_where_there_is_one(
    settings: Any, is_behind_proxy: bool, forwarded: str, expected: str
) -> None:
    settings.BEHIND_PROXY = is_behind_proxy
    request = RequestFactory().get("/", REMOTE_ADDR=ONE, HTTP_X_FORWARDED_FOR=forwarded)
    assert limits.address(request) == expected


@pytest.mark.django_db
def test_whoever_opens_links_without_end_is_told_to_wait(settings: Any, wall: Clock, files: Path) -> None:
    settings.ARRIVAL_RATE = 5
    study = make_study(now=clock.now())

    def arrive(number: int, address: str = ONE) -> Any:
        ids = {"PROLIFIC_PID": f"p{number}", "STUDY_ID": "ext", "SESSION_ID": f"s{number}"}
        return Client(REMOTE_ADDR=address).get(f"/s/{study.slug}/", ids)

    assert {arrive(number).status_code for number in range(5)} == {303}
    refused = arrive(6)
    assert (refused.status_code, refused["Retry-After"]) == (429, "46")
    assert "Please wait a minute" in refused.text
    assert Session.objects.count() == 5
    assert arrive(6, OTHER).status_code == 303
    wall.wait(60)
    assert arrive(7).status_code == 303


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["/admin/login/", "/experts/sign-in/"])
def test_a_name_can_t_be_tried_without_end_and_nobody_shuts_out_its_owner_elsewhere(
    settings: Any, wall: Clock, page: str
) -> None:
    settings.SIGN_IN_RATE = 3
    get_user_model().objects.create_superuser("rosa", password="right")

    def tries(name: str, password: str, address: str = ONE) -> int:
        asked = Client(REMOTE_ADDR=address).post(page, {"username": name, "password": password})
        return int(asked.status_code)

    assert [tries("rosa", "wrong") for _ in range(4)] == [200, 200, 200, 429]
    assert tries("ROSA", "right") == 429
    assert tries("rosa", "right", OTHER) == 302
    assert Client(REMOTE_ADDR=ONE).get(page).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["/admin/login/", "/experts/sign-in/"])
@pytest.mark.parametrize("is_behind_proxy", [False, True])
def test_one_password_can_t_be_tried_for_many_names_from_one_address(
    settings: Any, wall: Clock, page: str, is_behind_proxy: bool
) -> None:
    settings.SIGN_IN_RATE, settings.BEHIND_PROXY = 10, is_behind_proxy
    get_user_model().objects.create_superuser("rosa", password="right")

    def tries(name: str, password: str = "Spring2026!", address: str = ONE) -> Any:
        # Only the last address is our own proxy's; whatever a client writes before it changes nothing.
        proxy = {"X-Forwarded-For": f"192.0.2.{len(name)}, {address}"} if is_behind_proxy else {}
        browser = Client(REMOTE_ADDR="127.0.0.1" if is_behind_proxy else address, headers=proxy)
        wall.wait(15)
        return browser.post(page, {"username": name, "password": password})

    found = [tries(f"name{'x' * number}").status_code for number in range(40)]
    assert found[:20] == [200] * 20
    # A try each 15 seconds: of 20 more, those after waits of one and two minutes.
    assert found[20:].count(200) == 2
    refused = tries("rosa", "right")
    assert refused.status_code == 429
    assert "too many wrong passwords from your network" in refused.text
    assert tries("rosa", "right", OTHER).status_code == 302
    wall.wait(3600)
    assert tries("rosa", "right").status_code == 302


@pytest.mark.django_db
def test_right_passwords_of_many_people_at_one_address_count_for_nothing(settings: Any, wall: Clock) -> None:
    settings.SIGN_IN_RATE = 3
    for number in range(30):
        get_user_model().objects.create_superuser(f"user{number}", password="right")

    def tries(name: str, password: str, seconds: float = 60) -> int:
        wall.wait(seconds)
        return int(Client(REMOTE_ADDR=ONE).post("/admin/login/", {"username": name, "password": password}).status_code)

    assert [tries(f"user{number}", "wrong") for number in range(5)] == [200] * 5
    assert {tries(f"user{number}", "right") for number in range(30)} == {302}
    assert tries("user9", "wrong", 60) == 200
    assert tries("user9", "right", 1) == 429, "the sixth wrong one starts the first wait"
    assert tries("user9", "right", 60) == 302
    # A wrong one now and then: they don't add up for ever.
    wall.wait(24 * 3600)
    for day in range(12):
        wall.wait(20 * 3600)
        assert (tries(f"user{day}", "wrong"), tries(f"user{day}", "right")) == (200, 302)


def until_refused(wall: Clock) -> float:
    """Try one password after the other, and return the seconds to wait."""
    while True:
        try:
            limits.spend_try(ONE, "rosa", 3, wall.now)
        except limits.TooManyTries as refused:
            return refused.retry_after


@pytest.mark.django_db
def test_each_wrong_password_beyond_the_free_ones_makes_the_wait_twice_as_long(wall: Clock) -> None:
    waits = []
    for _ in range(9):
        wait = until_refused(wall)
        waits.append(wait / 60)
        wall.wait(wait)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    wall.wait(24 * 3600)
    for _ in range(3):
        limits.spend_try(ONE, "rosa", 3, wall.now)


@pytest.mark.django_db
def test_the_right_password_begins_anew_and_the_page_says_how_long_to_wait(settings: Any, wall: Clock) -> None:
    settings.SIGN_IN_RATE = 3
    get_user_model().objects.create_superuser("rosa", password="right")

    def tries(password: str) -> Any:
        return Client(REMOTE_ADDR=ONE).post("/admin/login/", {"username": "rosa", "password": password})

    assert [tries(word).status_code for word in ("wrong", "wrong", "right", "wrong", "wrong")] == [
        200,
        200,
        302,
        200,
        200,
    ]
    assert tries("wrong").status_code == 200
    wall.wait(61)
    assert tries("wrong").status_code == 200
    refused = tries("right")
    assert (refused.status_code, refused["Retry-After"]) == (429, "120")
    assert "Try again in 2 minutes." in refused.text


@pytest.mark.django_db
@pytest.mark.parametrize(("page", "first"), [("/admin/login/", "/admin/"), ("/experts/sign-in/", "/experts/")])
def test_who_signs_in_is_told_of_wrong_passwords_once(settings: Any, page: str, first: str) -> None:
    get_user_model().objects.create_superuser("rosa", password="right")
    for name in ("rosa", "rosa", "rosa", "nobody"):
        Client(REMOTE_ADDR=OTHER).post(page, {"username": name, "password": "wrong"})
    told = []
    for _ in range(2):
        browser = Client(REMOTE_ADDR=ONE)
        browser.post(page, {"username": "rosa", "password": "right"})
        told.append("somebody entered your name with a wrong password 3 times" in browser.get(first).text)
    assert told == [True, False]
    assert not WrongPasswords.objects.exists()


@pytest.mark.django_db
def test_codes_and_tokens_can_t_be_guessed_without_end(settings: Any, wall: Clock) -> None:
    settings.SIGN_IN_RATE = 3
    stranger = Client(REMOTE_ADDR=ONE)
    guesses = [stranger.get("/experts/invitation/nothing/").status_code for _ in range(16)]
    assert guesses == [404] * 15 + [429]
    wrong = {"Authorization": "Bearer esh_nothing"}
    found = [stranger.get("/api/v1/studies", headers=wrong) for _ in range(16)]
    assert {each.status_code for each in found[:15]} == {401}
    assert found[15].status_code == 429


@pytest.mark.django_db
def test_a_page_that_asks_without_end_is_told_to_wait_and_loses_nothing(
    wall: Clock, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from raters.sessions import api as sessions_api

    monkeypatch.setattr(sessions_api, "METER", limits.Meter(3))
    person = Person(make_study(now=clock.now()), clock.now()).start()
    client, address = carry(person), f"/rate/{person.study.slug}/api/current?tab={person.current.tab}"
    found = [client.get(address) for _ in range(4)]
    assert [each.status_code for each in found] == [200, 200, 200, 429]
    assert (found[3].json()["error"], found[3]["Retry-After"]) == ("too_many", "46")
    stranger = Person(person.study, clock.now()).start()
    assert carry(stranger).get(address.replace(person.current.tab, stranger.current.tab)).status_code == 200


def test_the_meter_leaves_room_for_whoever_rates_as_fast_as_they_can() -> None:
    from raters.sessions import api as sessions_api

    # Three requests a clip, and nobody rates a clip a second.
    assert sessions_api.METER.most >= 3 * 60
