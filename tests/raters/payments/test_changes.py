"""What changes between a reading, a draft and its payment: nobody is paid twice, and one odd row holds up no other."""

from __future__ import annotations

import io
from datetime import datetime
from decimal import Decimal
from typing import Any

import httpx
import pytest
from django.test import Client

from core.errors import Conflict, Invalid
from core.jobs import DONE, FAILED, QUEUED, RUNNING
from raters.models import Batch, Payment, PlatformStudy, Session, Submission
from raters.payments import candidates, overview, pay, payment_lists, platform_studies, reconciling, submissions
from raters.payments import views as payments_views
from raters.people import tombstones
from studies.definition.settings.payment import PaymentSettings as PaySettings
from tests.raters.payments.test_sending import owing
from tests.raters.payments.test_uploading import upload
from tests.raters.payments.world import World, make, states
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db
Outcome = Session.Outcome


@pytest.fixture
def world(now: datetime) -> World:
    return make(now, payment__rate=5, payment__per="session")


def erase(submission: Submission) -> None:
    """Leave what an erasure leaves of them."""
    name = tombstones.tombstone("prolific", "ext", submission.ext_session)
    Session.objects.filter(submissions=submission).update(ext_session=name, ext_study="")
    Payment.objects.filter(submission=submission).update(grounds={})
    Submission.objects.filter(pk=submission.pk).update(ext_session=name, code="")


@pytest.mark.parametrize("kind", ["bonus", "approve"])
def test_an_answer_that_nobody_can_read_leaves_payments_unclear(world: World, kind: str) -> None:
    owing(world, 1)
    listed = world.confirm(world.prepare(kind))

    def garble(method: str, path: str) -> None:
        if "/pay/" in path or "/transition/" in path:
            raise httpx.DecodingError("garbled")

    world.fake.server.after = garble
    world.carry_out(listed)
    assert (listed.state, states(listed)) == (FAILED, ["unclear"])


@pytest.mark.parametrize("kind", ["bonus", "approve"])
def test_whatever_goes_wrong_here_leaves_nothing_as_being_sent(world: World, kind: str) -> None:
    owing(world, 2)
    listed = world.confirm(world.prepare(kind))

    def stumble(method: str, path: str) -> None:
        if "/pay/" in path or "/transition/" in path:
            raise RuntimeError

    world.fake.server.after = stumble
    with pytest.raises(RuntimeError):
        world.carry_out(listed)
    listed.refresh_from_db()
    assert listed.state == FAILED
    assert states(listed) == (["unclear"] * 2 if kind == "bonus" else ["unclear", "prepared"])
    with pytest.raises(Conflict):
        payment_lists.resume(listed=listed, now=world.now)


@pytest.mark.parametrize("kind", ["bonus", "approve", "screen_out"])
def test_whoever_is_erased_before_a_list_is_carried_out_is_left_out_and_the_others_are_not(
    world: World, kind: str
) -> None:
    world.fake.study.screened_out_code = "OUT-1"
    owing(world, 2)
    for name in ("kim", "lea"):
        world.finish(name, Outcome.SCREENED_OUT)
    world.read()
    listed = world.confirm(world.prepare(kind))
    erase(Payment.objects.order_by("pk")[0].submission)
    assert world.carry_out(listed).state == DONE
    assert states(listed) == ["removed", "done"]


def test_an_erased_person_and_one_whom_the_platform_forgot_hold_up_no_reading(world: World) -> None:
    gone, erased, there = world.finish("ann"), world.finish("bob"), world.finish("cem")
    world.read()
    erase(world.submission(erased))
    del world.fake.account.submissions[gone.session.ext_session]
    Submission.objects.update(unread=True)
    world.there(there).bonuses = [70]
    assert world.read()
    assert world.submission(there).bonus == Decimal("0.70")
    assert world.fake.asked("/erased-") == 0


def test_whoever_was_erased_before_any_reading_does_not_come_by_one(world: World) -> None:
    person = world.finish("ann")
    name = tombstones.tombstone("prolific", "ext", person.session.ext_session)
    Session.objects.filter(pk=person.session.pk).update(ext_session=name, ext_study="")
    world.finish("bob")
    world.read()
    assert Submission.objects.count() == 1


def test_bonuses_that_were_paid_by_hand_since_are_seen_before_any_order(world: World) -> None:
    owing(world, 2)
    listed = world.confirm(world.prepare("bonus"))
    first, second = world.fake.account.submissions.values()
    first.bonuses = [25]
    world.carry_out(listed)
    assert states(listed) == ["failed", "done"]
    assert (first.bonuses, second.bonuses) == ([25], [25])
    world.read()
    with pytest.raises(Conflict):
        world.prepare("bonus")


def test_nobody_is_offered_a_bonus_while_their_bonuses_are_not_read(world: World) -> None:
    owing(world, 2)
    Submission.objects.filter(pk=Submission.objects.order_by("pk")[0].pk).update(unread=True)
    assert payment_lists.totals(world.prepare("bonus"))[0] == 1


def test_a_look_that_began_before_a_payment_does_not_count_as_one_after_it(world: World) -> None:
    owing(world, 1)
    listed = world.confirm(world.prepare("bonus"))
    Submission.objects.update(unread=True)
    (name,) = world.fake.account.submissions

    def pay_meanwhile(method: str, path: str) -> None:
        if path.endswith(f"/{name}/") and method == "GET":
            world.fake.server.after = lambda method, path: None
            world.carry_out(listed)

    world.fake.server.after = pay_meanwhile
    world.read()
    assert states(listed) == ["done"]
    assert Submission.objects.get().unread
    world.read()
    assert Submission.objects.get().bonus == Decimal("0.25")


def test_a_draft_is_not_carried_out_once_what_is_owed_is_something_else(world: World) -> None:
    owing(world, 2)
    bonus, approve = world.prepare("bonus"), world.prepare("approve")
    Batch.objects.filter(session=Session.objects.order_by("pk")[0]).update(valid=False)
    with pytest.raises(Conflict) as said:
        world.confirm(bonus)
    assert said.value.code == "changed"
    Session.objects.update(payable=False)
    with pytest.raises(Conflict) as said:
        world.confirm(approve)
    assert said.value.code == "changed"
    assert {bonus.state, approve.state} == {"draft"}


def test_a_message_during_a_reading_has_it_read_once_more(world: World) -> None:
    world.finish("ann")
    pk = world.platform.pk

    def ask(method: str, path: str) -> None:
        world.fake.server.after = lambda method, path: None
        world.wait(seconds=1)
        assert PlatformStudy.objects.get(pk=pk).state == RUNNING
        assert not platform_studies.request_reading(platform_id=pk, now=world.now)

    world.fake.server.after = ask
    assert world.read()
    assert PlatformStudy.objects.get(pk=pk).state == QUEUED
    assert platform_studies.read(pk=pk, clock=world.clock, client=world.fake.api)
    assert PlatformStudy.objects.get(pk=pk).state == DONE


def test_a_study_there_whose_people_came_to_another_study_here_is_not_linked(world: World, now: datetime) -> None:
    other = make_study(now=now)
    world.finish("ann")
    platform_studies.unlink(platform=world.platform)
    with pytest.raises(Conflict):
        platform_studies.link(study_id=other.pk, source="prolific", ext_study="ext", by=world.user, now=now)
    assert (
        platform_studies.link(
            study_id=world.study.pk, source="prolific", ext_study="ext", by=world.user, now=now
        ).study_id
        == world.study.pk
    )


def test_a_list_of_another_study_there_is_refused(world: World, now: datetime) -> None:
    person, stranger = world.finish("ann"), Person(make_study(now=now), now, "bob")
    Session.objects.filter(pk=stranger.session.pk).update(ext_study="another")
    content = f"Submission id,Status\n{stranger.session.ext_session},APPROVED\n"
    with pytest.raises(Invalid):
        submissions.upload(platform=world.platform, file=io.BytesIO(content.encode()), now=now)
    assert not Submission.objects.exists()
    assert upload(world, f"{person.session.ext_session},ann,APPROVED") == 1


def paid(settings: PaySettings, linked: Any, rows: Any, done: Any) -> list[payments_views.StudyPay]:
    return payments_views.paid(settings, linked, overview.pay_facts(settings, linked, rows, done))


def test_rewards_of_two_studies_there_are_told_apart_with_their_currencies(now: datetime, client: Client) -> None:
    world = make(now)
    person = world.finish("ann")
    world.read()
    PlatformStudy.objects.create(
        study=world.study, ext_study="two", reward=4, currency="USD", added_at=world.now, state=DONE
    )
    linked = reconciling.platforms(world.study.pk)
    rows, done = reconciling.rows(world.study.pk, linked), pay.work(world.study.pk)
    first, second = paid(PaySettings(currency="EUR"), linked, rows, done)
    assert (first.name, first.settings.currency, first.facts.total) == ("ext", "GBP", Decimal(3))
    assert (second.name, second.settings.currency, second.facts.total) == ("two", "USD", Decimal(0))
    assert list(done) == [person.session.pk]
    assert len(paid(PaySettings(rate=1), linked, rows, done)) == 1
    client.force_login(world.user)
    page = client.get(f"/studies/{world.study.slug}/paying/").text
    assert [f'id="pay-title{name}"' in page for name in ("", "ext", "two")] == [False, True, True]


def test_screened_out_people_without_a_code_are_counted_where_they_are_on_no_list(now: datetime) -> None:
    world = make(now, crowd__screened_out_code="")
    world.finish("out", Outcome.SCREENED_OUT)
    world.read()
    linked = reconciling.platforms(world.study.pk)
    rows = reconciling.rows(world.study.pk, linked)
    known = candidates.platform_facts(world.study, linked[0], rows, pay.work(world.study.pk), {})
    assert candidates.lacks_code(known) == 1
    with pytest.raises(Conflict):
        world.prepare("screen_out")
