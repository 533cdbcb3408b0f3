"""A rejection takes fair attention checks that were failed, a person, and a long enough message; nothing else."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from core.errors import Conflict, Invalid
from core.jobs import DONE
from raters.models import Batch, FairCheck, Session, Verdict
from raters.payments import payment_lists
from raters.people import rules as people_rules
from raters.people.rules import AttentionAnswer
from raters.rating import batches
from raters.sessions import attention
from tests.raters.payments.world import World, make, rejection_button, states
from tests.world import Person

Kind = FairCheck.Kind


@pytest.fixture
def world(now: datetime, db: None) -> World:
    return make(now)


def check(block: str, *, passed: bool = False) -> AttentionAnswer:
    return AttentionAnswer(block, "Please choose Unclear here.", "Human", passed)


def fail(world: World, person: Person, *blocks: str) -> None:
    for block in blocks:
        attention.store_check(
            session_id=person.session.pk,
            kind=Kind.INSTRUCTION,
            block=block,
            asked="Please choose Unclear here.",
            answered="Human",
            passed=False,
            now=world.now,
        )


@pytest.mark.parametrize(
    ("minutes", "failed", "may"),
    [
        (4, 0, False),
        (4, 1, True),
        (5, 1, False),
        (10, 1, False),
        (10, 2, True),
        (None, 1, False),
        (None, 2, True),
    ],
)
def test_crowd_09_one_failed_check_is_enough_only_below_five_minutes(
    minutes: int | None, failed: int, may: bool
) -> None:
    checks = [check(f"block-{number}") for number in range(failed)] + [check("passed", passed=True)]
    assert people_rules.may_reject(checks, minutes) is may


def test_crowd_09_several_questions_of_one_block_are_one_check() -> None:
    assert not people_rules.may_reject([check("page-1"), check("page-1"), check("page-1")], 10)
    assert people_rules.may_reject([check("page-1"), check("page-2")], 10)


def test_crowd_09_the_button_is_locked_at_one_failed_check_in_a_study_of_ten_minutes(
    world: World, client: Client
) -> None:
    world.fake.study.minutes = 10
    person = world.finish("ann", Session.Outcome.FAILED_ATTENTION)
    fail(world, person, "page-1")
    world.read()
    assert " disabled" in rejection_button(world, client).partition(">")[0]
    with pytest.raises(Conflict):
        world.prepare("reject")
    fail(world, person, "page-2")
    assert " disabled" not in rejection_button(world, client).partition(">")[0]
    assert world.prepare("reject").payments.count() == 1


def test_crowd_09_traps_and_golden_failures_never_unlock_it(world: World, client: Client) -> None:
    world.fake.study.minutes = 10
    person = world.arrive("ann").start()
    person.rate_batch(attentive=False)
    for batch in Batch.objects.filter(session=person.session, state="queued"):
        assert batches.validate(pk=batch.pk, now=person.now) is False
    Verdict.objects.create(session=person.session, rule="golden", usable=False, at=world.now, rule_version=1)
    world.there(person).hand_in("DONE-1")
    Session.objects.filter(pk=person.session.pk).update(step="ended", outcome="complete", payable=True)
    world.read()
    assert Batch.objects.filter(session=person.session, state=DONE, valid=False).count() == 1
    assert " disabled" in rejection_button(world, client).partition(">")[0]
    with pytest.raises(Conflict):
        world.prepare("reject")
    assert states(world.do("approve")) == ["done"]


def test_a_rejection_carries_each_persons_own_evidence_and_a_message_that_is_long_enough(world: World) -> None:
    people = [world.finish(name, Session.Outcome.FAILED_ATTENTION) for name in ("ann", "bob")]
    for person in people:
        fail(world, person, "page-1", "page-2")
    world.read()
    listed = world.prepare("reject")
    shown: dict[str, Any] = {
        "listed": listed,
        "seen": payment_lists.digest(listed),
        "by": world.user,
        "now": world.now,
    }
    with pytest.raises(Invalid):
        payment_lists.confirm(**shown, message="Too short.")
    sent: list[str] = []
    transition = world.fake.account.transition

    def overheard(name: str, body: dict[str, Any]) -> dict[str, Any]:
        sent.append(body["message"])
        return transition(name, body)

    world.fake.account.transition = overheard  # type: ignore[method-assign]
    world.carry_out(world.confirm(listed))
    assert states(listed) == ["done", "done"]
    assert all("“Please choose Unclear here.” – “Human” (2026-" in text and len(text) >= 100 for text in sent)
    assert [world.there(person).status for person in people] == ["REJECTED", "REJECTED"]


def test_a_check_that_was_failed_once_in_its_block_stays_failed(world: World) -> None:
    person = world.arrive("ann")
    given: dict[str, Any] = {
        "session_id": person.session.pk,
        "kind": Kind.NONSENSE,
        "block": "b",
        "asked": "a",
        "now": world.now,
    }
    attention.store_check(**given, answered="no", passed=True)
    attention.store_check(**given, answered="yes", passed=False)
    attention.store_check(**given, answered="no", passed=True)
    kept = FairCheck.objects.get()
    assert (kept.passed, kept.answered) == (False, "yes")
