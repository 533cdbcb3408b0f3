"""A list is carried out once: what was unclear is never sent again unless a person says that it did not happen."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from core.errors import Conflict, Invalid
from core.jobs import DONE, FAILED, LEASE, QUEUED, due
from raters.models import Batch, Payment, PaymentList, Session, Submission
from raters.payments import payment_lists, sending
from raters.sources.client.prolific import ProlificClient
from tests.raters.payments.world import World, make, states

pytestmark = pytest.mark.django_db
Outcome = Session.Outcome


@pytest.fixture
def world(now: datetime) -> World:
    return make(now, payment__bonus_per_valid_batch=0, payment__rate=5, payment__per="session")


def owing(world: World, number: int = 3, per_batch: float = 0.25) -> World:
    """Let people finish who are owed a bonus."""
    draft = {**world.study.draft, "payment": {**world.study.draft["payment"], "bonus_per_valid_batch": per_batch}}
    world.study.draft = draft
    world.study.save()
    for at in range(number):
        session = world.finish(f"p{at}").session
        Batch.objects.create(session=session, number=1, size=10, state=DONE, valid=True, opened_at=world.now)
    world.read()
    return world


class Killed(BaseException):
    """What a process that is killed does not catch."""


def test_nothing_is_sent_before_a_person_has_confirmed(world: World) -> None:
    world.finish("ann")
    world.read()
    listed = world.prepare("approve")
    assert world.carry_out(listed).state == "draft"
    assert not [each for each in due(world.now + timedelta(hours=1)) if each[0] == "raters.carry_out"]
    world.confirm(listed)
    assert ("raters.carry_out", listed.pk) in list(due(world.now + timedelta(minutes=1)))


def test_those_who_are_owed_their_pay_are_approved_and_nobody_else(world: World) -> None:
    complete, declined = world.finish("ann"), world.finish("dan", Outcome.DECLINED)
    stuck, thief = world.finish("guy", Outcome.TECHNICAL_FAILURE), world.finish("eve")
    world.there(thief).participant = "another"
    world.read()
    listed = world.do("approve")
    assert (listed.state, states(listed)) == (DONE, ["done"])
    assert [world.there(each).status for each in (complete, declined, stuck, thief)] == [
        "APPROVED",
        *["AWAITING REVIEW"] * 3,
    ]
    with pytest.raises(Conflict):
        world.prepare("approve")


def test_pay_that_no_rule_decides_is_decided_by_a_person_once(world: World) -> None:
    stuck = world.finish("guy", Outcome.TECHNICAL_FAILURE)
    given: dict[str, Any] = {"session_id": stuck.session.pk, "study_id": world.study.pk, "by": world.user}
    payment_lists.decide_pay(payable=True, **given)
    with pytest.raises(Conflict):
        payment_lists.decide_pay(payable=False, **given)
    world.read()
    world.do("approve")
    assert world.there(stuck).status == "APPROVED"


def test_crowd_06_an_approval_waits_for_whoever_has_not_pressed_the_button_yet(world: World) -> None:
    slow, quick = world.finish("ann"), world.finish("bob")
    world.there(slow).status = "ACTIVE"
    world.read()
    listed = world.do("approve")
    assert (listed.state, states(listed)) == (QUEUED, ["prepared", "done"])
    assert listed.queued_at is not None
    assert listed.queued_at > world.now
    world.there(slow).hand_in("DONE-1")
    world.wait(minutes=1)
    assert world.carry_out(listed).state == DONE
    assert world.there(slow).status == world.there(quick).status == "APPROVED"


def test_an_approval_of_somebody_who_never_hands_in_ends(world: World) -> None:
    slow = world.finish("ann")
    world.there(slow).status = "ACTIVE"
    world.read()
    listed = world.confirm(world.prepare("approve"))
    for _turn in range(30):
        world.wait(minutes=1)
        world.carry_out(listed)
    assert listed.state == DONE
    assert states(listed) == ["failed"]
    assert "not submitted yet" in Payment.objects.get().error


def test_bonuses_are_paid_in_one_order_and_once_each(world: World) -> None:
    owing(world)
    listed = world.do("bonus")
    assert states(listed) == ["done"] * 3
    assert [each.bonuses for each in world.fake.account.submissions.values()] == [[25]] * 3
    assert len(world.fake.account.paid) == 1
    world.read()
    with pytest.raises(Conflict):
        world.prepare("bonus")


@pytest.mark.parametrize("trouble", [500, 503, httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut")])
def test_crowd_06_a_bonus_is_paid_once_under_a_storm_of_tries(world: World, trouble: int | Exception) -> None:
    owing(world)
    listed = world.confirm(world.prepare("bonus"))
    pays = world.fake.account.pay

    def paid_but_no_answer(order: str) -> None:
        pays(order)
        world.fake.server.trouble.append(trouble)

    def break_the_line(method: str, path: str) -> None:
        if path.endswith("/pay/"):
            raise trouble if isinstance(trouble, Exception) else httpx.ReadTimeout("slow")

    world.fake.server.after = break_the_line
    for _turn in range(20):
        world.wait(minutes=10)
        world.carry_out(listed)
    assert len(world.fake.account.paid) == 1
    assert (listed.state, states(listed)) == (FAILED, ["unclear"] * 3)
    with pytest.raises(Conflict):
        payment_lists.resume(listed=listed, now=world.now)
    with pytest.raises(Conflict):
        world.prepare("bonus")
    unclear = list(Payment.objects.values_list("pk", flat=True))
    payment_lists.resolve(listed=listed, payments=unclear, happened=True, by=world.user, now=world.now)
    world.read()
    with pytest.raises(Conflict):
        world.prepare("bonus")
    assert [each.bonuses for each in world.fake.account.submissions.values()] == [[25]] * 3


@pytest.mark.parametrize(
    ("dies", "paid"),
    [("before", 0), ("after", 1)],
)
def test_crowd_06_a_worker_that_dies_while_it_pays_leaves_an_unclear_row_and_no_second_payment(
    world: World, dies: str, paid: int
) -> None:
    owing(world)
    listed = world.confirm(world.prepare("bonus"))

    def die(*about: str) -> None:
        if about[-1].endswith("/pay/"):
            raise Killed

    server = world.fake.server
    if dies == "after":
        server.after = die
    else:
        server.before = lambda: die(server.asked[-1][1])
    with pytest.raises(Killed):
        world.carry_out(listed)
    assert states(listed) == ["sending"] * 3
    server.before, server.after = lambda: None, lambda method, path: None
    # Its lease holds, so that nobody takes the list up; then the sweep finds it.
    assert not sending.carry_out(pk=listed.pk, clock=world.clock, client=world.fake.api)
    world.wait(seconds=LEASE.total_seconds() + 1)
    assert ("raters.carry_out", listed.pk) in list(due(world.now))
    world.carry_out(listed)
    assert states(listed) == ["unclear"] * 3
    assert len(world.fake.account.paid) == paid
    # A person looked: it happened, or it is done again, once.
    unclear = list(Payment.objects.values_list("pk", flat=True))
    payment_lists.resolve(listed=listed, payments=unclear, happened=paid == 1, by=world.user, now=world.now)
    if not paid:
        payment_lists.resume(listed=listed, now=world.now)
        world.carry_out(listed)
    assert states(listed) == ["done"] * 3
    assert [each.bonuses for each in world.fake.account.submissions.values()] == [[25]] * 3


def test_a_list_of_which_nothing_is_left_to_carry_out_is_not_resumed(world: World) -> None:
    owing(world)
    listed = world.confirm(world.prepare("bonus"))
    world.carry_out(listed)
    assert states(listed) == ["done"] * 3
    with pytest.raises(Conflict) as refused:
        payment_lists.resume(listed=listed, now=world.now)
    assert refused.value.code == "nothing_to_do"


def test_a_plain_no_to_a_bonus_is_told_and_not_tried_again(world: World) -> None:
    owing(world, 1)
    listed = world.confirm(world.prepare("bonus"))
    setup = world.fake.account.set_up_bonuses

    def busy(body: dict[str, object]) -> dict[str, object]:
        world.fake.server.trouble.append(429)
        return setup(body)

    world.fake.account.set_up_bonuses = busy  # type: ignore[method-assign]
    world.carry_out(listed)
    assert states(listed) == ["failed"]
    assert world.fake.account.paid == []
    world.fake.account.set_up_bonuses = setup  # type: ignore[method-assign]
    assert states(world.do("bonus")) == ["done"]


def test_an_approval_that_was_unclear_is_closed_by_what_the_platform_says_next(world: World) -> None:
    person = world.finish("ann")
    world.read()
    listed = world.confirm(world.prepare("approve"))

    def cut(method: str, path: str) -> None:
        if "transition" in path:
            raise httpx.ReadTimeout("slow")

    world.fake.server.after = cut
    world.carry_out(listed)
    assert states(listed) == ["unclear"]
    world.fake.server.after = lambda method, path: None
    world.read()
    assert states(listed) == ["done"]
    assert world.there(person).status == "APPROVED"


def test_a_platform_that_is_away_lets_the_list_rest_with_nothing_lost(world: World) -> None:
    world.finish("ann")
    world.read()
    listed = world.confirm(world.prepare("approve"))
    world.fake.server.trouble.extend([httpx.ConnectError("away")] * 4)
    assert world.carry_out(listed).state == QUEUED
    assert states(listed) == ["prepared"]
    world.wait(minutes=1)
    assert world.carry_out(listed).state == DONE


def test_a_list_is_confirmed_as_it_was_seen_and_only_once(world: World) -> None:
    owing(world)
    listed = world.prepare("bonus")
    assert payment_lists.totals(listed) == (3, Decimal("0.75"))
    before = payment_lists.digest(listed)
    first = Payment.objects.order_by("pk").values_list("pk", flat=True)[:1]
    assert payment_lists.take_off(listed=listed, payments=list(first)) == 1
    how: dict[str, Any] = {"listed": listed, "message": "", "by": world.user, "now": world.now}
    with pytest.raises(Conflict):
        payment_lists.confirm(seen=before, **how)
    now_seen = payment_lists.digest(listed)
    payment_lists.confirm(seen=now_seen, **how)
    with pytest.raises(Conflict):
        payment_lists.confirm(seen=now_seen, **how)
    world.carry_out(listed)
    assert states(listed) == ["removed", "done", "done"]


def test_one_list_of_a_kind_is_open_at_a_time_and_a_newer_draft_replaces_an_older(world: World) -> None:
    world.finish("ann")
    world.read()
    older = world.prepare("approve")
    newer = world.prepare("approve")
    assert list(PaymentList.objects.values_list("pk", flat=True)) == [newer.pk]
    assert older.pk != newer.pk
    world.confirm(newer)
    with pytest.raises(Conflict):
        world.prepare("approve")


def test_what_is_left_of_a_list_that_stopped_is_done_later_or_given_up_before_another_is_made(world: World) -> None:
    world.finish("ann")
    world.read()
    listed = world.confirm(world.prepare("approve"))
    world.fake.server.trouble.append(401)
    assert world.carry_out(listed).state == FAILED
    assert states(listed) == ["prepared"]
    with pytest.raises(Conflict):
        world.prepare("approve")
    payment_lists.discard(listed=listed, now=world.now)
    assert states(listed) == ["removed"]
    assert states(world.do("approve")) == ["done"]


def test_people_are_asked_to_return_what_nothing_here_is_owed_for(world: World) -> None:
    declined, complete = world.finish("dan", Outcome.DECLINED), world.finish("ann")
    world.fake.submission("s-nobody").hand_in(None)
    world.read()
    listed = world.prepare("request_return")
    with pytest.raises(Invalid):
        world.confirm(listed, "  ")
    world.carry_out(world.confirm(listed))
    asked = [name for name, each in world.fake.account.submissions.items() if each.return_requested]
    assert sorted(asked) == sorted([declined.session.ext_session, "s-nobody"])
    assert world.there(complete).return_requested is None
    world.read()
    assert Submission.objects.filter(return_asked_at__isnull=False).count() == 2
    with pytest.raises(Conflict):
        world.prepare("request_return")


def test_screened_out_people_are_paid_by_their_code_and_not_approved(world: World) -> None:
    out = world.finish("out", Outcome.SCREENED_OUT)
    world.fake.study.screened_out_code = "OUT-1"
    world.read()
    with pytest.raises(Conflict):
        world.prepare("approve")
    world.do("screen_out")
    assert world.there(out).status == "SCREENED OUT"


@pytest.mark.parametrize("break_off", [None, httpx.ReadTimeout("slow")])
def test_places_are_a_total_that_can_be_asked_for_twice(world: World, break_off: Exception | None) -> None:
    world.read()
    world.platform.refresh_from_db()
    listed = payment_lists.prepare_places(platform=world.platform, more=3, by=world.user, now=world.now)
    if break_off:
        world.fake.server.trouble.append(break_off)
    listed = world.carry_out(world.confirm(listed))
    assert (listed.state, world.fake.study.places) == (DONE, 23)
    with pytest.raises(Invalid):
        payment_lists.prepare_places(platform=world.platform, more=0, by=world.user, now=world.now)


@pytest.mark.parametrize("currency", ["EUR", "USD"])
def test_bonuses_in_another_currency_than_the_platforms_are_refused(world: World, currency: str) -> None:
    owing(world)
    world.fake.study.currency = currency
    world.read()
    with pytest.raises(Conflict, match=currency):
        world.prepare("bonus")


def test_more_than_two_hundred_bonuses_go_in_several_orders(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raters.sources.prolific.ProlificPayments.bonuses_at_once", 2)
    owing(world, 3)
    world.do("bonus")
    assert len(world.fake.account.paid) == 2
    assert [each.bonuses for each in world.fake.account.submissions.values()] == [[25]] * 3


@pytest.mark.parametrize("state", ["done", "sending", "failed", "unclear"])
def test_what_another_worker_has_taken_meanwhile_is_not_sent_again(
    world: World, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    first, second = world.finish("ann"), world.finish("bob")
    world.read()
    listed = world.confirm(world.prepare("approve"))
    approve = ProlificClient.approve

    def approve_and_lose_the_other(api: ProlificClient, name: str) -> None:
        approve(api, name)
        # The lease was over, and another worker has been at the next one since this list was read.
        Payment.objects.filter(submission=world.submission(second)).update(state=state)

    monkeypatch.setattr(ProlificClient, "approve", approve_and_lose_the_other)
    world.carry_out(listed)
    assert [world.there(each).status for each in (first, second)] == ["APPROVED", "AWAITING REVIEW"]
    assert states(listed) == ["done", state]
