"""From the pages that a rater meets to a rejection at Prolific: fair checks lead there, and nothing else does."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core import clock
from core.errors import Conflict
from raters.models import Batch, CheckResult, FairCheck, Payment, Session
from raters.rating import batches, finishing
from tests.raters.payments.world import World, make, rejection_button, states
from tests.raters.sessions.screening.listener import ATTENTION, Listener, right, wrong
from tests.world import carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
EARS: dict[str, Any] = {"screening__volume": True, "screening__headphones": "antiphase"}


@pytest.fixture
def world(now: datetime, monkeypatch: pytest.MonkeyPatch) -> World:
    made = make(now, texts=30, screening__attention=ATTENTION, protocol__batches_per_session=3, **EARS)
    made.fake.study.minutes = 10
    monkeypatch.setattr(clock, "now", made.clock)
    return made


def take_part(world: World, name: str, *, label: str = "", failing: tuple[str, ...] = ()) -> Listener:
    """Let somebody take part by the services and, where there is a form of checks, by its page; they then hand in.

    `label` is what they answer to every clip, traps included; without one, they get the traps right.
    """
    person = Listener(world.study, world.now, name)
    world.fake.submission(person.session.ext_session, participant=name, started_at=world.now)
    client = carry(person)
    person.agree()
    answer_checks(world, person, client, failing)
    person.read().load()
    while person.outcome == "":
        if person.is_done:
            answer_checks(world, person, client, failing)
            person.load()
            continue
        person.fetch()
        person.play()
        person.wait(60)
        trap = "machine" if person.role == "trap_flawed" else "human"
        super(Listener, person).send(person.submission(label or trap))
    for pk in list(Batch.objects.filter(session=person.session.pk, state="queued").values_list("pk", flat=True)):
        batches.validate(pk=pk, now=person.now)
    world.there(person).hand_in("DONE-1", minutes=30)
    world.now = max(world.now, person.now)
    return person


def answer_checks(world: World, person: Listener, client: Client, failing: tuple[str, ...]) -> None:
    """Post the forms of checks until none is left."""
    address = f"/rate/{world.study.slug}/check/"
    world.now = max(world.now, person.now)
    while person.step == Session.Step.CHECKS:
        shown = person.at
        form = wrong(shown.result) if shown.check.name in failing else right(shown.result)
        assert client.get(address).status_code == 200
        assert client.post(address, {**form, "at": shown.at}).status_code == 303


def test_crowd_09_who_fails_two_checks_on_the_pages_can_be_rejected_with_what_they_were_asked(
    world: World, client: Client
) -> None:
    person = take_part(world, "ann", failing=("attention",))
    assert list(Batch.objects.values_list("valid", flat=True)) == [True, True, True]
    world.read()
    assert " disabled" not in rejection_button(world, client).partition(">")[0]
    assert "failed attention checks: 2" in client.get(f"/studies/{world.study.slug}/paying/").text
    listed = world.prepare("reject")
    page = client.get(reverse("paying:listed", args=[world.study.slug, listed.pk])).text
    assert all(each.asked in page and each.answered in page for each in FairCheck.objects.all())
    told: list[str] = []
    transition = world.fake.account.transition

    def overheard(name: str, body: dict[str, Any]) -> dict[str, Any]:
        told.append(body["message"])
        return transition(name, body)

    world.fake.account.transition = overheard  # type: ignore[method-assign]
    assert states(world.carry_out(world.confirm(listed))) == ["done"]
    assert world.there(person).status == "REJECTED"
    (message,) = told
    assert len(message) >= 100
    for check in FairCheck.objects.all():
        assert f"“{check.asked}” – “{check.answered}” ({check.at:%Y-%m-%d %H:%M} UTC)." in message


def test_crowd_09_who_fails_traps_headphones_and_one_check_alone_is_owed_their_pay(
    world: World, client: Client
) -> None:
    take_part(world, "bob", label="machine", failing=("antiphase",))
    assert set(Batch.objects.values_list("valid", flat=True)) == {False}
    assert CheckResult.objects.filter(name="antiphase", passed=False).exists()
    assert set(FairCheck.objects.values_list("passed", flat=True)) == {True}
    FairCheck.objects.filter(pk=FairCheck.objects.order_by("pk")[0].pk).update(passed=False)
    world.read()
    assert " disabled" in rejection_button(world, client).partition(">")[0]
    with pytest.raises(Conflict):
        world.prepare("reject")
    assert states(world.do("approve")) == ["done"]
    assert (
        Payment.objects.get(list__kind="approve").grounds["checks"][0]["asked"]
        == FairCheck.objects.earliest("pk").asked
    )


def test_crowd_09_one_failed_check_is_enough_where_people_are_told_less_than_five_minutes(world: World) -> None:
    world.fake.study.minutes = 4
    person = world.arrive("cem")
    finishing.leave(
        session_id=person.session.pk, outcome=Session.Outcome.COMPLETE, now=world.now + timedelta(minutes=4)
    )
    world.there(person).hand_in("DONE-1")
    FairCheck.objects.create(
        session=person.session,
        kind="nonsense",
        block="attention-1",
        asked="a",
        answered="b",
        passed=False,
        at=world.now,
    )
    world.read()
    assert world.prepare("reject").payments.count() == 1
