"""Our client of Prolific's API: all pages, no request without a study, nothing paid or told twice."""

from __future__ import annotations

from decimal import Decimal

import httpx
import pytest

from core.errors import Invalid
from demo.prolific import people
from raters.sources.client.prolific import ProlificClient
from raters.sources.client.transport import PlatformTransport
from raters.sources.payment_platform import NotSent, NotSetUp, NotYet, PlatformRefusal, Unclear
from tests.raters.payments.fake import TOKEN, Fake

LONG = "You answered two of the questions that said what to answer differently from what they said. " * 2


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.mark.parametrize("largest", [20, 100])
@pytest.mark.parametrize("number", [0, 1, 19, 20, 21, 40, 100, 250])
def test_crowd_06_every_submission_is_listed_once_however_many_fit_on_a_page(number: int, largest: int) -> None:
    fake = Fake(largest_page=largest)
    study = people.made_up(fake.account, number)
    found = [place.id for place in fake.api.submissions(study.id)]
    assert found == [f"{at:024x}" for at in range(number)]


def test_crowd_06_a_page_behind_the_last_one_may_be_missing() -> None:
    fake = Fake(misses_pages=True)
    study = people.made_up(fake.account, 40)
    assert len(list(fake.api.submissions(study.id))) == 40
    assert len(fake.server.asked) == 3


@pytest.mark.parametrize("study", [None, "", "a b", "../users/me"])
def test_crowd_06_nothing_is_listed_without_a_study(fake: Fake, study: str | None) -> None:
    with pytest.raises(Invalid):
        list(fake.api.submissions(study))
    assert fake.server.asked == []


def test_a_server_that_sends_one_page_for_ever_is_not_asked_for_ever() -> None:
    row = {"status": "ACTIVE", "participant_id": "p", "started_at": "2026-03-02T09:00:00Z"}
    rows = [{**row, "id": f"{at:024x}"} for at in range(20)]
    line = httpx.MockTransport(lambda request: httpx.Response(200, json={"results": rows}))
    with pytest.raises(Unclear):
        list(ProlificClient(PlatformTransport("http://prolific", "t", transport=line)).submissions("ext"))


def test_reading_waits_as_long_as_it_is_told_and_outlives_a_stumble(fake: Fake) -> None:
    fake.submission("s-1")
    fake.server.trouble.extend([429, 502, httpx.ReadTimeout("slow")])
    assert [place.id for place in fake.api.submissions("ext")] == ["s-1"]
    assert fake.waited == [2.0, 2.0, 4.0]
    fake.server.trouble.extend([503] * 9)
    with pytest.raises(Unclear):
        list(fake.api.submissions("ext"))
    fake.server.trouble.clear()
    fake.server.trouble.extend([429] * 9)
    with pytest.raises(NotSent):
        list(fake.api.submissions("ext"))


def test_times_codes_and_bonuses_are_read_from_both_forms(fake: Fake) -> None:
    made = fake.submission("s-1", participant="p1")
    made.hand_in("CODE", minutes=9)
    made.bonuses = [50, 125]
    (listed,) = fake.api.submissions("ext")
    looked = fake.api.submission("s-1")
    assert (listed.person, listed.code, listed.state, listed.bonus) == ("p1", "CODE", "awaiting_review", None)
    assert looked.bonus == Decimal("1.75")
    assert (looked.person, looked.code, looked.completed_at) == (listed.person, listed.code, listed.completed_at)
    assert fake.api.study("ext").reward == Decimal(3)


def test_crowd_06_an_approval_while_active_says_that_it_is_too_early(fake: Fake) -> None:
    made = fake.submission("s-1")
    with pytest.raises(NotYet):
        fake.api.approve("s-1")
    made.hand_in("CODE")
    fake.api.approve("s-1")
    fake.api.approve("s-1")
    assert made.status == "APPROVED"


@pytest.mark.parametrize("length", [0, 99])
def test_crowd_06_a_short_reason_for_a_rejection_is_refused_before_anything_is_sent(fake: Fake, length: int) -> None:
    fake.submission("s-1").hand_in("CODE")
    with pytest.raises(Invalid):
        fake.api.reject("s-1", message="x" * length + "   ", category="FAILED_CHECK")
    with pytest.raises(Invalid):
        fake.api.reject("s-1", message=LONG, category="BAD_TASTE")
    assert fake.server.asked == []
    fake.api.reject("s-1", message="x" * 100, category="FAILED_CHECK")
    assert fake.account.submissions["s-1"].status == "REJECTED"


@pytest.mark.parametrize("trouble", [429, 500, 503, httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut")])
def test_crowd_06_a_bonus_order_is_paid_by_one_request_whatever_comes_back(
    fake: Fake, trouble: int | Exception
) -> None:
    fake.submission("s-1").hand_in("CODE")
    order = fake.api.set_up_bonuses("ext", {"s-1": Decimal("1.50")})
    fake.server.trouble.append(trouble)
    with pytest.raises((NotSent, Unclear)):
        fake.api.pay_bonuses(order)
    assert fake.asked("/pay/") == 1
    assert fake.waited == []


def test_bonuses_are_told_in_units_and_an_order_of_another_sum_is_not_paid(fake: Fake) -> None:
    for name in ("s-1", "s-2"):
        fake.submission(name).hand_in("CODE")
    order = fake.api.set_up_bonuses("ext", {"s-1": Decimal("1.5"), "s-2": Decimal("0.05")})
    fake.api.pay_bonuses(order)
    assert fake.account.submissions["s-1"].bonuses == [150]
    assert fake.account.submissions["s-2"].bonuses == [5]
    line = httpx.MockTransport(lambda request: httpx.Response(201, json={"id": "o", "amount": 15500}))
    with pytest.raises(PlatformRefusal):
        ProlificClient(PlatformTransport("http://prolific", "t", transport=line)).set_up_bonuses(
            "ext", {"s-1": Decimal("1.55")}
        )
    with pytest.raises(Invalid):
        fake.api.set_up_bonuses("ext", dict.fromkeys((f"s-{at}" for at in range(201)), Decimal(1)))


def test_asking_to_return_is_sent_once_since_each_request_writes_to_the_participant(fake: Fake) -> None:
    made = fake.submission("s-1")
    made.hand_in(None)
    fake.server.trouble.append(503)
    with pytest.raises(Unclear):
        fake.api.request_return("s-1", message="nothing here")
    assert fake.asked("/request-return/") == 1
    fake.api.request_return("s-1", message="nothing here")
    assert made.return_requested is not None


def test_a_code_of_the_researchers_screens_out_and_places_only_grow(fake: Fake) -> None:
    made = fake.submission("s-1")
    fake.study.screened_out_code = "OUT"
    with pytest.raises(PlatformRefusal):
        fake.api.screen_out("s-1", code="OTHER")
    fake.api.screen_out("s-1", code="OUT")
    assert made.status == "SCREENED OUT"
    fake.api.set_places("ext", 25)
    with pytest.raises(PlatformRefusal):
        fake.api.set_places("ext", 24)
    assert fake.study.places == 25


def test_no_problem_says_the_token(fake: Fake) -> None:
    wrong = ProlificClient(
        PlatformTransport("http://prolific", "wrong-token", transport=httpx.WSGITransport(app=fake.server))
    )
    with pytest.raises(NotSetUp) as refused:
        wrong.study("ext")
    assert "wrong-token" not in str(refused.value)
    with pytest.raises(PlatformRefusal, match="Not found") as missing:
        fake.api.study("nothing")
    assert TOKEN not in str(missing.value)


def test_whoever_cannot_be_reached_got_nothing() -> None:
    def away(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("away")

    gone = ProlificClient(
        PlatformTransport("http://prolific", "t", sleep=lambda seconds: None, transport=httpx.MockTransport(away))
    )
    with pytest.raises(NotSent):
        gone.pay_bonuses("order")
