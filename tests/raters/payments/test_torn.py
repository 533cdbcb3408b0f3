"""Who finished and failed attention checks may be approved or rejected: a person says which, once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core.errors import Conflict
from core.jobs import DONE, FAILED, RUNNING
from raters.models import Batch, PaymentList, PlatformStudy, Session, Submission
from raters.payments import candidates, payment_lists, platform_studies, reconciling
from raters.rating import finishing
from tests.raters.payments.test_rejecting import fail
from tests.raters.payments.world import World, make, states
from tests.world import Person


@pytest.fixture
def world(now: datetime, db: None) -> World:
    made = make(now, payment__bonus_per_valid_batch=0.5, protocol__batches_per_session=3)
    made.fake.study.minutes = 10
    return made


@pytest.fixture
def torn(world: World) -> Person:
    """Let ann finish, and bob who failed two checks on his way; both earned a bonus."""
    people = [world.finish(name) for name in ("ann", "bob")]
    for person in people:
        Batch.objects.create(session=person.session, number=1, size=3, state=DONE, valid=True, opened_at=world.now)
    fail(world, people[1], "page-1", "page-2")
    world.read()
    return people[1]


def can(world: World, kind: str) -> list[str]:
    """Return who could be on a list of this kind now."""
    world.platform.refresh_from_db()
    found = candidates.find_candidates(world.study, world.platform, kind)
    return [world.fake.account.submissions[each.submission.ext_session].participant for each in found]


def test_a_list_of_approvals_leaves_them_out_and_shows_why(world: World, torn: Person, client: Client) -> None:
    listed = world.prepare("approve")
    assert states(listed) == ["prepared", "removed"]
    assert payment_lists.totals(listed)[0] == 1
    client.force_login(world.user)
    page = client.get(reverse("paying:listed", args=[world.study.slug, listed.pk])).text
    left_out = page.partition("People not on this list")[2]
    assert torn.session.ext_session in left_out
    assert "Please choose Unclear here." in left_out
    overview = client.get(reverse("paying:overview", args=[world.study.slug])).text
    assert "1 more failed enough attention checks to be rejected" in overview
    world.carry_out(world.confirm(listed))
    assert world.there(torn).status == "AWAITING REVIEW"


def test_a_list_of_nobody_else_can_be_prepared_and_takes_a_persons_word(world: World, torn: Person) -> None:
    world.do("approve")
    world.read()
    listed = world.prepare("approve")
    with pytest.raises(Conflict):
        world.confirm(listed)
    assert payment_lists.put_on(listed=listed, payments=listed.payments.values_list("pk", flat=True)) == 1
    assert states(world.carry_out(world.confirm(listed))) == ["done"]
    assert world.there(torn).status == "APPROVED"


def test_who_was_taken_off_a_draft_can_be_put_back_and_only_there(world: World, torn: Person, client: Client) -> None:
    listed = world.prepare("approve")
    first = listed.payments.earliest("pk")
    client.force_login(world.user)
    address = {name: reverse(f"paying:{name}", args=[world.study.slug, listed.pk]) for name in ("take_off", "put_on")}
    client.post(address["take_off"], {"payment": first.pk})
    assert states(listed) == ["removed", "removed"]
    client.post(address["put_on"], {"payment": first.pk})
    assert states(listed) == ["prepared", "removed"]
    world.confirm(listed)
    with pytest.raises(Conflict):
        payment_lists.put_on(listed=listed, payments=listed.payments.values_list("pk", flat=True))


@pytest.mark.parametrize(("said", "other"), [("approve", "reject"), ("reject", "approve")])
def test_after_one_decision_the_other_is_not_offered_before_the_platform_was_read_again(
    world: World, torn: Person, said: str, other: str
) -> None:
    listed = world.prepare(said)
    payment_lists.put_on(listed=listed, payments=listed.payments.values_list("pk", flat=True))
    assert "bob" in can(world, other)
    confirmed = world.confirm(listed)
    assert "bob" not in can(world, other)
    world.carry_out(confirmed)
    assert "bob" not in can(world, other)
    assert world.submission(torn).state == "awaiting_review"


def test_of_two_drafts_with_the_same_person_the_second_to_be_confirmed_is_refused(world: World, torn: Person) -> None:
    approve, reject = world.prepare("approve"), world.prepare("reject")
    payment_lists.put_on(listed=approve, payments=approve.payments.values_list("pk", flat=True))
    world.confirm(approve)
    with pytest.raises(Conflict):
        world.confirm(reject)


def test_a_draft_that_somebody_else_changed_is_looked_at_once_more(world: World, torn: Person) -> None:
    listed = world.prepare("approve")
    seen = payment_lists.digest(listed)
    ann, bob = listed.payments.order_by("pk").values_list("pk", flat=True)
    payment_lists.take_off(listed=listed, payments=[ann])
    payment_lists.put_on(listed=listed, payments=[bob])
    with pytest.raises(Conflict):
        payment_lists.confirm(listed=listed, seen=seen, message="", by=world.user, now=world.now)
    payment_lists.take_off(listed=listed, payments=[bob])
    payment_lists.put_on(listed=listed, payments=[ann])
    payment_lists.confirm(listed=listed, seen=seen, message="", by=world.user, now=world.now)


def test_an_approval_that_was_confirmed_and_given_up_pays_no_bonus(world: World, torn: Person) -> None:
    listed = world.prepare("approve")
    payment_lists.put_on(listed=listed, payments=listed.payments.values_list("pk", flat=True))
    world.confirm(listed)
    assert can(world, "bonus") == ["ann"]


def test_nobody_decides_on_pay_while_a_rejection_is_on_its_way(world: World) -> None:
    person = world.finish("cem", Session.Outcome.FAILED_ATTENTION)
    fail(world, person, "page-1", "page-2")
    world.read()
    said: dict[str, Any] = {
        "session_id": person.session.pk,
        "study_id": world.study.pk,
        "payable": True,
        "by": world.user,
    }
    listed = world.confirm(world.prepare("reject"))
    for state in ("prepared", "sending", "unclear"):
        listed.payments.update(state=state)
        with pytest.raises(Conflict):
            payment_lists.decide_pay(**said)
    listed.payments.update(state="removed")
    payment_lists.decide_pay(**said)
    assert Session.objects.get(pk=person.session.pk).payable is True


def stopped_rejection(world: World) -> PaymentList:
    """Return a list of one rejection that nobody knows the end of."""
    listed = world.confirm(world.prepare("reject"))
    listed.payments.update(state="unclear")
    PaymentList.objects.filter(pk=listed.pk).update(state=FAILED, error="Look at the platform.")
    return listed


def test_a_word_on_what_is_not_unclear_any_more_changes_nothing(world: World, torn: Person) -> None:
    listed = stopped_rejection(world)
    payments = list(listed.payments.values_list("pk", flat=True))
    said: dict[str, Any] = {"listed": listed, "by": world.user, "now": world.now}
    assert payment_lists.resolve(payments=[], happened=True, **said) == 0
    listed.refresh_from_db()
    assert listed.error != ""
    payment_lists.resolve(payments=payments, happened=False, **said)
    assert payment_lists.resolve(payments=payments, happened=True, **said) == 0
    assert Session.objects.get(pk=torn.session.pk).payable is True


def test_a_rejection_at_a_place_that_was_left_says_nothing_of_the_next_one(world: World, torn: Person) -> None:
    listed = stopped_rejection(world)
    Session.objects.filter(pk=torn.session.pk).update(ext_session="another-place")
    payments = list(listed.payments.values_list("pk", flat=True))
    payment_lists.resolve(listed=listed, payments=payments, happened=True, by=world.user, now=world.now)
    assert Session.objects.get(pk=torn.session.pk).payable is True


def test_who_was_rejected_while_still_rating_is_owed_nothing_when_they_finish(world: World) -> None:
    person = Person(world.study, world.now).start()
    Session.objects.filter(pk=person.session.pk).update(payable=False)
    left = finishing.leave(session_id=person.session.pk, outcome=Session.Outcome.COMPLETE, now=world.now)
    assert left.payable is False


@pytest.mark.parametrize("state", ["AWAITING REVIEW", "APPROVED"])
def test_a_rejection_that_the_platform_does_not_hold_is_decided_anew(world: World, torn: Person, state: str) -> None:
    listed = stopped_rejection(world)
    payments = list(listed.payments.values_list("pk", flat=True))
    payment_lists.resolve(listed=listed, payments=payments, happened=True, by=world.user, now=world.now)
    world.there(torn).status = state
    world.read()
    assert states(listed) == ["failed"]
    assert Session.objects.get(pk=torn.session.pk).payable is None
    payment_lists.decide_pay(session_id=torn.session.pk, study_id=world.study.pk, payable=False, by=world.user)
    world.read()
    assert Session.objects.get(pk=torn.session.pk).payable is False, "it is opened once"


def test_who_is_erased_is_not_waited_for(world: World, torn: Person) -> None:
    Submission.objects.update(unread=True)
    assert candidates.unread(known(world)) == 2
    Submission.objects.filter(pk=world.submission(torn).pk).update(ext_session="erased-1")
    assert candidates.unread(known(world)) == 1


def known(world: World) -> candidates.PlatformFacts:
    rows = reconciling.rows(world.study.pk, reconciling.platforms(world.study.pk))
    return candidates.platform_facts(world.study, world.platform, rows, {}, {})


def test_they_get_no_bonus_before_it_is_decided_and_none_after_a_rejection(world: World, torn: Person) -> None:
    assert can(world, "bonus") == ["ann"]
    reject = world.confirm(world.prepare("reject"))
    assert can(world, "bonus") == ["ann"]
    world.carry_out(reject)
    world.read()
    assert can(world, "bonus") == ["ann"]


def test_they_get_their_bonus_once_they_were_approved_and_read_again(
    world: World, torn: Person, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raters.sources.prolific.ProlificPayments.is_configured", True)
    listed = world.prepare("approve")
    payment_lists.put_on(listed=listed, payments=listed.payments.values_list("pk", flat=True))
    world.carry_out(world.confirm(listed))
    client.force_login(world.user)
    overview = reverse("paying:overview", args=[world.study.slug])
    told = "2 people are not listed until their bonuses have been read from Prolific again."
    assert (can(world, "bonus"), told in client.get(overview).text) == ([], True)
    world.read()
    assert (can(world, "bonus"), told in client.get(overview).text) == (["ann", "bob"], False)


def test_a_rejection_that_was_carried_out_leaves_a_session_unpaid_and_usable(world: World, torn: Person) -> None:
    world.do("reject")
    assert Session.objects.get(pk=torn.session.pk).payable is False
    assert Batch.objects.get(session=torn.session).valid
    world.read()
    assert (can(world, "approve"), can(world, "request_return")) == (["ann"], [])


def test_an_unclear_rejection_counts_once_somebody_or_the_platform_says_that_it_happened(
    world: World, torn: Person
) -> None:
    listed = world.confirm(world.prepare("reject"))
    listed.payments.update(state="unclear")
    PaymentList.objects.filter(pk=listed.pk).update(state=DONE)
    payments = list(listed.payments.values_list("pk", flat=True))
    payment_lists.resolve(listed=listed, payments=payments, happened=False, by=world.user, now=world.now)
    assert states(listed) == ["prepared"]
    assert Session.objects.get(pk=torn.session.pk).payable is True
    listed.payments.update(state="unclear")
    world.there(torn).status = "REJECTED"
    world.read()
    assert states(listed) == ["done"]
    assert Session.objects.get(pk=torn.session.pk).payable is False


def test_whose_session_ended_by_failed_attention_is_approved_once_their_pay_is_decided(world: World) -> None:
    person = world.finish("cem", Session.Outcome.FAILED_ATTENTION)
    fail(world, person, "page-1", "page-2")
    world.read()
    assert (can(world, "approve"), can(world, "reject")) == ([], ["cem"])
    payment_lists.decide_pay(session_id=person.session.pk, study_id=world.study.pk, payable=True, by=world.user)
    assert (can(world, "approve"), can(world, "reject")) == (["cem"], [])
    assert states(world.do("approve")) == ["done"]


def test_fair_checks_are_read_once_for_all_linked_studies(world: World, torn: Person, client: Client) -> None:
    for name in ("two", "three"):
        PlatformStudy.objects.create(study=world.study, ext_study=name, added_at=world.now, state=DONE)
    client.force_login(world.user)
    with CaptureQueriesContext(connection) as asked:
        page = client.get(reverse("paying:overview", args=[world.study.slug]))
    assert page.text.count('value="reject"') == 3
    # All of them, and those of the rows that are shown.
    assert sum("raters_faircheck" in each["sql"] for each in asked) == 2


def unclear(world: World, *, number: int) -> PaymentList:
    """Return a list of bonuses that stopped over the first so many, which are unclear."""
    for name in ("ann", "bob"):
        person = world.finish(name)
        Batch.objects.create(session=person.session, number=1, size=3, state=DONE, valid=True, opened_at=world.now)
    world.read()
    listed = world.confirm(world.prepare("bonus"))
    first = list(listed.payments.order_by("pk").values_list("pk", flat=True)[:number])
    listed.payments.filter(pk__in=first).update(state="sending")
    told = "Some payments are unclear. Check them at the platform and record what happened."
    PaymentList.objects.filter(pk=listed.pk).update(state=RUNNING, tries=1, lease_until=world.now, error=told)
    return listed


def test_a_page_counts_what_is_being_sent(world: World, client: Client) -> None:
    listed = unclear(world, number=2)
    client.force_login(world.user)
    page = client.get(reverse("paying:listed", args=[world.study.slug, listed.pk])).text
    assert "<dt>Being sent</dt><dd>2</dd>" in page


def test_bonuses_that_are_unclear_are_looked_up_and_shown_beside_them(world: World, client: Client) -> None:
    listed = unclear(world, number=2)
    for each in world.fake.account.submissions.values():
        each.bonuses.append(50)
    world.wait(minutes=10)
    world.carry_out(listed)
    assert states(listed) == ["unclear", "unclear"]
    world.read()
    client.force_login(world.user)
    page = client.get(reverse("paying:listed", args=[world.study.slug, listed.pk])).text
    assert page.count("bonuses 0.50") == 2


def test_a_list_is_over_once_somebody_said_what_became_of_all_of_it(world: World) -> None:
    listed = unclear(world, number=2)
    world.wait(minutes=10)
    world.carry_out(listed)
    first, second = listed.payments.order_by("pk").values_list("pk", flat=True)
    payment_lists.resolve(listed=listed, payments=[first], happened=True, by=world.user, now=world.now)
    listed.refresh_from_db()
    assert (listed.state, listed.error != "") == (FAILED, True)
    payment_lists.resolve(listed=listed, payments=[second], happened=True, by=world.user, now=world.now)
    listed.refresh_from_db()
    assert (listed.state, listed.error) == (DONE, "")


def test_a_list_with_something_left_to_do_waits_for_a_person_and_blames_nothing_unclear(world: World) -> None:
    listed = unclear(world, number=2)
    world.wait(minutes=10)
    world.carry_out(listed)
    payments = list(listed.payments.values_list("pk", flat=True))
    payment_lists.resolve(listed=listed, payments=payments, happened=False, by=world.user, now=world.now)
    listed.refresh_from_db()
    assert (listed.state, listed.error) == (FAILED, "")


def test_the_page_says_how_many_people_rate_what_invalid_batches_left(world: World, client: Client) -> None:
    person = world.finish("ann")
    for number in range(1, 5):
        Batch.objects.create(
            session=person.session, number=number, size=3, state=DONE, valid=False, opened_at=world.now
        )
    world.read()
    client.force_login(world.user)
    page = client.get(reverse("paying:overview", args=[world.study.slug])).text
    assert "4 batches were invalid" in page
    assert "2 more raters can fill them." in page


def test_bonuses_of_those_who_are_owed_them_are_read_first_and_nobodys_for_being_asked_to_return(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_studies, "LOOKS", 1)
    left = world.finish("lea", Session.Outcome.WITHDRAWN)
    stayed = world.finish("ann")
    world.read()
    world.do("request_return")
    assert not world.submission(left).unread
    Submission.objects.update(unread=True)
    world.read()
    assert [world.submission(person).unread for person in (left, stayed)] == [True, False]
