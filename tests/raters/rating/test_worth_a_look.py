"""Rule A13: sessions that stand out are listed for a person, with the numbers, and nothing is excluded by it."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from raters.models import Session, Verdict
from raters.privacy import erasing, requests
from raters.rating import batches, worth_a_look
from raters.rating.rules import worth_a_look as rules
from raters.rating.rules.worth_a_look import SessionNumbers, Sign
from raters.rating.rules.writing import Writing
from raters.sessions import lifecycle
from raters.simulation import simulated_sessions
from raters.sources.base import RaterArrival
from studies.models import Study
from tests import world
from tests.raters.sessions.test_pages import arrive
from tests.researchers import logged_in, researcher
from tests.world import REASON, Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
TYPED = {"keys": len(REASON), "first_key_s": 1}


@pytest.fixture
def study(now: datetime) -> Study:
    study = world.make_study(now=now, texts=40, flawed=6, humans=12, protocol__batches_per_session=2)
    study.owner = researcher("rita")
    study.save()
    return study


def listen(study: Study, now: datetime, *, is_bot: bool) -> Person:
    """Rate a whole session: as a bot that waits for the clock alone, or as a person who thinks and types."""
    person = Person(study, now).start()
    number = 0
    while not person.is_done:
        number += 1
        [clip] = person.current.trial.clips
        right = {"trap_flawed": "machine", "trap_human": "human"}.get(person.role, ("machine", "unclear")[number % 2])
        person.fetch()
        person.play()
        person.wait(clip.seconds if is_bot else clip.seconds + 8)
        said = {"clips": {clip.key: {"plays": 1, "played": 1.0}}, "inputs": TYPED}
        person.send(person.submission("human" if is_bot else right, evidence={} if is_bot else said))
    for pk in person.filled:
        batches.validate(pk=pk, now=person.now)
    return person


def test_a_bot_that_keeps_the_listening_clock_is_listed_and_an_honest_rater_is_not(study: Study, now: datetime) -> None:
    listen(study, now, is_bot=False)
    bot = listen(study, now, is_bot=True)
    found = worth_a_look.worth_a_look(study.pk)
    assert (found.sessions, found.number, [each.session for each in found.listed]) == (2, 1, [bot.session.pk])
    assert set(found.listed[0].signs) == {
        Sign("quick", 20, 20),
        Sign("no_input", 20, 20),
        Sign("written", 20, 20),
        Sign("equal", 20, 20),
        Sign("batches", 2, 2),
    }


def test_nothing_is_excluded_or_unpaid_by_the_list(study: Study, now: datetime) -> None:
    bot = listen(study, now, is_bot=True)
    before = list(Verdict.objects.values_list("rule"))
    worth_a_look.worth_a_look(study.pk)
    assert list(Verdict.objects.values_list("rule")) == before
    bot.session.refresh_from_db()
    assert (bot.session.outcome, bot.session.payable) == ("complete", True)


def test_honest_simulated_sessions_are_not_listed(now: datetime) -> None:
    study = world.make_study(now=now, texts=40, flawed=6, humans=12, seconds=5)
    simulated_sessions.simulate(study_id=study.pk, raters=20, seed=7, careless=0, now=now)
    found = worth_a_look.worth_a_look(study.pk, simulated=True)
    assert (found.sessions, found.number) == (20, 0)


def test_careless_simulated_sessions_are_listed(now: datetime) -> None:
    study = world.make_study(now=now, texts=40, flawed=6, humans=12, seconds=5)
    simulated_sessions.simulate(study_id=study.pk, raters=5, seed=7, careless=1, now=now)
    found = worth_a_look.worth_a_look(study.pk, simulated=True)
    assert (found.sessions, found.number) == (5, 5)


@pytest.mark.parametrize(
    ("numbers", "names"),
    [
        (SessionNumbers(answers=30, timed=30, quick=14, reasons=30, written=14, unreported=14), set()),
        (SessionNumbers(answers=30, timed=30, quick=15), {"quick"}),
        (SessionNumbers(answers=4, timed=4, quick=4, unreported=4, reasons=4, written=4), set()),
        (SessionNumbers(ratings=Counter(human=9)), set()),
        (SessionNumbers(ratings=Counter(human=10)), {"equal"}),
        (SessionNumbers(ratings=Counter(human=29, machine=1)), set()),
        (SessionNumbers(failed=1, decided=1), set()),
        (SessionNumbers(failed=2, decided=5), set()),
        (SessionNumbers(failed=2, decided=3), {"batches"}),
        (SessionNumbers(other=7), {"browser"}),
    ],
)
def test_a_sign_needs_a_habit(numbers: SessionNumbers, names: set[str]) -> None:
    assert {sign.name for sign in rules.signs(numbers)} == names


@pytest.mark.parametrize(
    ("inputs", "seconds", "is_fast"),
    [
        ({"keys": 42}, 10, False),
        ({"keys": 42}, 2, True),
        ({"keys": 2, "pastes": 1, "chars_pasted": 42}, 10, True),
        ({"keys": 3}, 10, True),
        # Swiped or dictated on a phone.
        ({"keys": 3, "touch": True}, 10, False),
    ],
)
def test_a_text_is_fast_when_nobody_types_like_that(inputs: dict[str, int], seconds: float, is_fast: bool) -> None:
    assert rules.is_written_fast(REASON, Writing.model_validate(inputs), seconds) is is_fast


def test_a_browser_that_comes_with_another_platform_id_is_marked_on_both_sessions(study: Study, client: Client) -> None:
    arrive(client, study, "p1", "s1")
    arrive(client, study, "p1", "s1")
    arrive(Client(), study, "p2", "s2")
    assert not Session.objects.filter(browser_before__isnull=False).exists()
    arrive(client, study, "p3", "s3")
    first, other, third = Session.objects.order_by("pk")
    assert (first.browser_before, other.browser_before, third.browser_before) == (None, None, first.pk)
    found = worth_a_look.worth_a_look(study.pk)
    assert {each.session: each.signs for each in found.listed} == {
        first.pk: [Sign("browser", third.pk)],
        third.pk: [Sign("browser", first.pk)],
    }


def test_the_mark_needs_no_cookie_beside_the_session_s(study: Study, client: Client, settings: object) -> None:
    settings.HTTPS = True  # type: ignore[attr-defined]
    for number in (1, 2):
        response = arrive(client, study, f"p{number}", f"s{number}")
        assert list(response.cookies) == [f"__Host-earshot_rater-{study.slug}"]
    assert Session.objects.filter(browser_before__isnull=False).count() == 1


def test_previews_and_open_links_are_not_marked(now: datetime, client: Client, study: Study) -> None:
    arrive(client, study, "p1", "s1")
    # Prolific's preview makes up ids of this form.
    arrive(client, study, "p2", "abc123def456")
    open_study = world.make_study(now=now, crowd__source="open", crowd__one_per_browser=False)
    for _ in range(2):
        client.post(f"/s/{open_study.slug}/")
    assert Session.objects.count() == 4
    assert not Session.objects.filter(browser_before__isnull=False).exists()


def test_an_erased_person_loses_the_mark_and_nobody_else_is_reached(study: Study, now: datetime) -> None:
    def come(person: str, before: int | None = None) -> Session:
        arrival = RaterArrival("prolific", person, "ext", f"s-{person}")
        return lifecycle.arrive(study_id=study.pk, arrival=arrival, now=now, browser_session=before)

    first = come("ann")
    second = come("bob", first.pk)
    erasure = requests.erase_person(rater_id=second.rater_id, now=now, by=None)
    assert erasing.carry_out(pk=erasure.pk, clock=lambda: now)
    first.refresh_from_db()
    second.refresh_from_db()
    assert second.browser_before is None
    assert first.ext_session == "s-ann"


@pytest.mark.parametrize("name", ["workspace:live", "paying:overview"])
def test_live_and_payments_list_them_with_links_and_limits(study: Study, now: datetime, name: str) -> None:
    bot = listen(study, now, is_bot=True)
    page = re.sub(r"\s+", " ", logged_in(study.owner).get(reverse(name, args=[study.slug])).text)
    assert "Worth a look" in page
    assert "20 of 20 decisions too quick" in page
    assert "less than 0.3 s after the clip’s end" in page
    assert "nothing is excluded or unpaid because of this list" in page
    assert f'href="{reverse("admin:raters_session_change", args=[bot.session.pk])}"' in page


def test_a_page_holds_twenty_sessions_and_leads_to_the_rest(study: Study, client: Client, now: datetime) -> None:
    listen(study, now, is_bot=False)
    for number in range(41):
        arrive(client, study, f"p{number}", f"s{number}")
    owner, address = logged_in(study.owner), reverse("workspace:live", args=[study.slug])
    pages = [owner.get(address, {"look": number}).text for number in (1, 2, 3)]
    assert [len(re.findall(r"same browser as session", page)) for page in pages] == [20, 20, 1]
    assert "?look=2#look" in pages[0]
