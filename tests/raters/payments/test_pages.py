"""The pages of pay: for the study's owner, without anybody's name, however many came."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import User
from core import clock
from raters.models import Payment, PaymentList, PlatformStudy, Session
from raters.payments import pay, payment_lists
from studies.definition.settings.payment import PaymentSettings as PaySettings
from studies.models import Study
from tests.raters.payments.test_uploading import HEADER, line
from tests.raters.payments.world import World, make, states
from tests.workers import work_at_once

Outcome = Session.Outcome


@pytest.fixture
def world(now: datetime, db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    made = make(now)
    monkeypatch.setattr(clock, "now", made.clock)
    return made


@pytest.fixture
def boss(world: World) -> Client:
    client = Client()
    client.force_login(world.user)
    return client


def address(world: World, rest: str = "") -> str:
    return f"/studies/{world.study.slug}/paying/{rest}"


def owner(world: World, *rights: str) -> Client:
    """Return the browser of somebody whose study it is and who has these rights."""
    user = User.objects.create_user("olga", password="pw", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    Study.objects.filter(pk=world.study.pk).update(owner=user)
    client = Client()
    client.force_login(user)
    return client


def test_an_empty_page_says_what_to_do(now: datetime, db: None) -> None:
    made = make(now)
    PlatformStudy.objects.all().delete()
    client = Client()
    client.force_login(made.user)
    page = client.get(address(made)).text
    for text in (
        "No token for Prolific is set",
        "No study at Prolific is linked yet",
        "No sessions or submissions from Prolific yet",
    ):
        assert text in page
    assert "No session is payable yet" in page


def test_a_list_that_was_discarded_is_called_so(world: World, boss: Client) -> None:
    world.finish("ann")
    world.read()
    boss.post(address(world, "prepare"), {"platform": PlatformStudy.objects.get().pk, "kind": "approve"})
    listed = PaymentList.objects.get()
    assert "Discard list" in boss.get(address(world, f"lists/{listed.pk}/")).text
    overview = boss.post(address(world, f"lists/{listed.pk}/drop"), follow=True).text
    assert "The list was discarded." in overview
    page = boss.get(address(world, f"lists/{listed.pk}/")).text
    assert "Discarded" in page
    assert "Discard list" not in page


def test_the_page_sets_everybody_side_by_side_and_names_nobody(world: World, boss: Client) -> None:
    world.finish("ann-the-listener", code="LEFT-1")
    world.finish("bob-the-listener")
    world.read()
    page = boss.get(address(world)).text
    assert "Wrong code entered" in page
    assert page.count("awaiting review") >= 2
    rows = page.partition("<tbody>")[2]
    assert "DONE-1" in rows
    assert "LEFT-1" in rows
    people = Session.objects.values_list("ext_session", flat=True)
    assert all(name in page for name in people)
    assert "participant" not in rows


def test_rows_can_be_filtered_by_what_differs_and_by_state(world: World, boss: Client) -> None:
    right, wrong = world.finish("ann"), world.finish("bob", code=None)
    world.read()
    for show, there, absent in (
        ("any", wrong, right),
        ("no_code", wrong, right),
        ("awaiting_review", wrong, None),
        ("approved", None, right),
    ):
        rows = boss.get(address(world), {"show": show}).text.partition('id="rows-title"')[2]
        assert there is None or there.session.ext_session in rows
        assert absent is None or absent.session.ext_session not in rows


def test_two_hundred_and_fifty_submissions_fill_three_pages(world: World, boss: Client) -> None:
    for number in range(250):
        world.fake.submission(f"s-{number:03}").hand_in(None)
    world.read()
    first, last = boss.get(address(world)).text, boss.get(address(world), {"page": "3"}).text
    assert "Page 1 of 3" in first
    assert "<code>s-000</code>" in first
    assert "<code>s-249</code>" in last
    assert last.count('scope="row"><code>s-') == 50


def test_whoever_does_not_own_the_study_sees_nothing_and_an_owner_acts_with_a_right_alone(world: World) -> None:
    stranger = User.objects.create_user("eve", password="pw", is_staff=True)
    client = Client()
    assert client.get(address(world)).status_code == 302
    client.force_login(stranger)
    assert client.get(address(world)).status_code == 404
    world.finish("ann")
    world.read()
    looks = owner(world)
    assert looks.get(address(world)).status_code == 200
    given = {"platform": world.platform.pk, "kind": "approve"}
    assert looks.post(address(world, "prepare"), given).status_code == 403
    assert looks.post(address(world, "link"), {"ext_study": "other"}).status_code == 403
    assert not PaymentList.objects.exists()
    Study.objects.update(owner=User.objects.get(username="olga"))
    pays = Client()
    olga = User.objects.get(username="olga")
    olga.user_permissions.add(Permission.objects.get(codename="pay_raters"))
    pays.force_login(olga)
    assert pays.post(address(world, "prepare"), given).status_code == 302
    assert PaymentList.objects.count() == 1


def test_nothing_changes_by_a_get(world: World, boss: Client) -> None:
    for name in ("link", "unlink", "read", "upload", "decide", "prepare"):
        assert boss.get(address(world, name)).status_code == 405


def test_lists_and_platforms_of_another_study_are_not_found(world: World, boss: Client, now: datetime) -> None:
    from tests.world import make_study

    world.finish("ann")
    world.read()
    listed, other = world.prepare("approve"), make_study(now=now)
    assert boss.get(f"/studies/{other.slug}/paying/lists/{listed.pk}/").status_code == 404
    for name in ("confirm", "drop", "go-on", "resolve", "take-off", "put-on"):
        posted = boss.post(f"/studies/{other.slug}/paying/lists/{listed.pk}/{name}", {"happened": "yes"})
        assert posted.status_code == 404
    given = {"platform": world.platform.pk, "kind": "approve"}
    assert boss.post(f"/studies/{other.slug}/paying/prepare", given).status_code == 404


def test_a_list_is_prepared_looked_through_and_carried_out(
    world: World, boss: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    people = [world.finish(name) for name in ("ann", "bob", "cem")]
    world.read()
    said = boss.post(address(world, "prepare"), {"platform": world.platform.pk, "kind": "approve"})
    listed = PaymentList.objects.get()
    assert said["Location"] == address(world, f"lists/{listed.pk}/")
    draft = boss.get(said["Location"]).text
    assert "3 people" in draft
    assert "9.00 GBP of rewards" in draft
    first = Payment.objects.order_by("pk")[0]
    boss.post(address(world, f"lists/{listed.pk}/take-off"), {"payment": [first.pk]})
    confirmed = boss.get(said["Location"]).text
    seen = {"seen": confirmed.partition('name="seen" value="')[2].partition('"')[0]}
    assert len(seen["seen"]) == 32
    boss.post(address(world, f"lists/{listed.pk}/confirm"), seen)
    assert PaymentList.objects.get().state == "draft"
    monkeypatch.setattr("raters.sources.prolific.ProlificPayments.client", lambda self: world.fake.api)
    monkeypatch.setattr("core.nudge._send", work_at_once)
    with django_capture_on_commit_callbacks(execute=True):
        boss.post(address(world, f"lists/{listed.pk}/confirm"), {**seen, "sure": "on"})
    assert [world.there(person).status for person in people] == ["AWAITING REVIEW", "APPROVED", "APPROVED"]
    page = boss.get(address(world, f"lists/{listed.pk}/")).text
    assert "Carried out" in page
    part = boss.get(address(world, f"lists/{listed.pk}/"), {"part": "1"}).text
    assert "data-over" in part
    assert "<html" not in part


def test_a_person_says_on_the_page_what_became_of_unclear_ones(world: World, boss: Client) -> None:
    world.finish("ann")
    world.read()
    listed = world.confirm(world.prepare("approve"))
    PaymentList.objects.update(state="failed")
    Payment.objects.update(state="unclear")
    page = boss.get(address(world, f"lists/{listed.pk}/")).text
    assert "Earshot doesn’t know whether the unclear payments were made" in page
    row = Payment.objects.get()
    boss.post(address(world, f"lists/{listed.pk}/resolve"), {"payment": [row.pk], "happened": "no"})
    assert states(listed) == ["prepared"]
    boss.post(address(world, f"lists/{listed.pk}/go-on"))
    listed.refresh_from_db()
    assert listed.state == "queued"


def test_studies_are_linked_from_where_people_came_and_lists_are_uploaded(world: World, boss: Client) -> None:
    PlatformStudy.objects.all().delete()
    person = world.finish("ann")
    assert 'value="ext"' in boss.get(address(world)).text
    boss.post(address(world, "link"), {"ext_study": "ext"})
    platform = PlatformStudy.objects.get()
    file = io.BytesIO(f"{HEADER}\n{line(person.session.ext_session, 'ann', 'APPROVED')}\n".encode())
    file.name = "list.csv"
    said = boss.post(address(world, "upload"), {"platform": platform.pk, "file": file}, follow=True)
    assert "1 submission was read." in said.text
    wrong = io.BytesIO(b"no,list\n")
    wrong.name = "list.csv"
    said = boss.post(address(world, "upload"), {"platform": platform.pk, "file": wrong}, follow=True)
    assert "is missing. Upload Prolific" in said.text


def test_undecided_pay_is_decided_on_the_page(world: World, boss: Client) -> None:
    person = world.finish("guy", Outcome.TECHNICAL_FAILURE)
    assert "Pay undecided" in boss.get(address(world)).text
    boss.post(address(world, "decide"), {"session": person.session.pk, "payable": "yes"})
    assert Session.objects.get(pk=person.session.pk).payable is True


def test_the_token_is_on_no_page(world: World, boss: Client, settings: Any) -> None:
    settings.PROLIFIC_TOKEN, settings.PROLIFIC_HOOK_SECRET = "tok-123456", "hook-654321"
    page = boss.get(address(world)).text + boss.get(f"/studies/{world.study.slug}/design/").text
    assert "Earshot also receives Prolific’s webhook messages" in page
    assert "tok-123456" not in page
    assert "hook-654321" not in page


def work(session: int, outcome: str, minutes: float, clips: int = 30, valid: int = 3) -> pay.SessionWork:
    lasted = timedelta(minutes=minutes)
    return pay.SessionWork(session, outcome, True, lasted, lasted * 0.8, clips, valid)


def test_the_pay_of_an_hour_counts_screened_out_people_and_their_time() -> None:
    settings = PaySettings(rate=2, screened_out_rate=0.1)
    done = {1: work(1, "complete", 10), 2: work(2, "complete", 20), 3: work(3, "screened_out", 3, 0, 0)}
    facts = pay.facts(settings, done)
    assert (facts.complete.minutes, facts.complete.hour) == (15, Decimal("8.00"))
    assert (facts.screened_out.minutes, facts.screened_out.hour) == (3, Decimal("2.00"))
    # 4.10 in 33 minutes.
    assert (facts.everybody.people, facts.everybody.hour, facts.total) == (3, Decimal("7.45"), Decimal("4.10"))
    # 8 and 16 of these minutes for 30 clips each.
    assert facts.seconds_a_clip == pytest.approx(24.0)


def test_pay_by_clip_and_by_valid_batch_is_what_was_done() -> None:
    settings = PaySettings(currency="CNY", per="clip", rate=0.5, bonus_per_valid_batch=1.25)
    assert settings.owed(outcome="complete", clips=21, valid_batches=2) == (Decimal("10.50"), Decimal("2.50"))
    assert settings.owed(outcome="screened_out", clips=0, valid_batches=0) == (Decimal("0.00"), Decimal(0))


def test_by_clip_a_bonus_is_what_the_reward_leaves_open(now: datetime, db: None) -> None:
    made = make(now, payment__per="clip", payment__rate=0.5, texts=12)
    person = made.arrive("ann").start()
    person.rate_batch()
    from raters.rating import finishing

    finishing.leave(session_id=person.session.pk, outcome=Outcome.COMPLETE, now=person.now)
    made.there(person).hand_in("DONE-1")
    made.read()
    listed = made.prepare("bonus")
    # Ten clips are 5.00, and 3.00 of them are the reward.
    assert payment_lists.totals(listed) == (1, Decimal("2.00"))


def test_settings_of_pay_belong_to_no_version(world: World) -> None:
    from studies.launch import states as studies

    body, sha256 = studies.frozen(world.study.definition)
    changed = world.study.definition.model_copy(update={"payment": PaySettings(rate=9)})
    assert "payment" not in body
    assert studies.frozen(changed)[1] == sha256
