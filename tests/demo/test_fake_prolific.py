"""The stand-in shows the people of a study here as they are by now, a few of them with something to find."""

from __future__ import annotations

from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from demo.prolific import people
from demo.prolific.account import Account
from demo.prolific.server import Server
from raters.models import Session
from raters.rating import finishing
from tests.world import Person, make_study

pytestmark = pytest.mark.django_db


def test_people_of_a_study_appear_and_hand_in_when_they_are_done(now: datetime) -> None:
    study = make_study(now=now, crowd__completion_code="DONE-1")
    account = Account()
    guests = [Person(study, now) for _number in range(14)]
    people.mirror(account, study.slug)
    assert {each.status for each in account.of_study("ext")} == {"ACTIVE"}
    for guest in guests[1:]:
        ended = now + timedelta(minutes=9)
        finishing.leave(session_id=guest.session.pk, outcome=Session.Outcome.COMPLETE, now=ended)
    people.mirror(account, study.slug)
    found = {each.participant: each for each in account.of_study("ext")}
    assert len(found) == 14
    assert found[guests[0].name].status == "ACTIVE"
    codes = [found[guest.name].code for guest in guests[1:]]
    assert codes.count("DONE-1") >= 10
    assert len(set(codes)) > 1


def test_a_study_that_is_not_there_is_named(now: datetime) -> None:
    with pytest.raises(CommandError, match="no study"):
        call_command("fake_prolific", study="nothing-here")


def ask(server: Server, path: str, sent: str | None = None) -> tuple[str, str]:
    """Ask the stand-in as a browser does; return status and page."""
    told: list[str] = []
    environ: dict[str, Any] = {"REQUEST_METHOD": "GET" if sent is None else "POST", "PATH_INFO": path}
    environ |= {"wsgi.input": BytesIO((sent or "").encode()), "CONTENT_LENGTH": str(len(sent or ""))}
    body = b"".join(server(environ, lambda status, _headers: told.append(status)))
    return told[0], body.decode()


def test_its_page_shows_what_participants_were_told_and_paid() -> None:
    account = Account()
    people.made_up(account, 3)
    first, second, third = account.of_study(people.STUDY)
    account.transition(first.id, {"action": "REJECT", "message": "<b>" * 40, "rejection_category": "OTHER"})
    account.request_return(second.id, {"request_return_reasons": ["No session here."]})
    account.pay(account.set_up_bonuses({"study_id": people.STUDY, "csv_bonuses": f"{third.id},0.75"})["id"])
    status, page = ask(Server(account, token="fake"), "/")
    assert status == "200 OK"
    rows = [row for row in page.split("<tr>") if "<code>" in row]
    assert "REJECTED" in rows[0]
    assert "&lt;b&gt;" in rows[0]
    assert "<button" not in rows[0]
    assert "return asked for" in rows[1]
    assert "No session here." in rows[1]
    assert "0.75" in rows[2]


def test_by_its_page_a_participant_gives_the_place_back_once() -> None:
    account = Account()
    people.made_up(account, 2)
    first, second = account.of_study(people.STUDY)
    server = Server(account, token="fake")
    assert ask(server, f"/submissions/{first.id}/leave", "status=RETURNED")[0] == "303 See Other"
    assert ask(server, f"/submissions/{second.id}/leave", "status=TIMED-OUT")[0] == "303 See Other"
    assert (first.status, second.status) == ("RETURNED", "TIMED-OUT")
    assert ask(server, f"/submissions/{first.id}/leave", "status=TIMED-OUT")[0].startswith("400")
    assert ask(server, f"/submissions/{second.id}/leave", "status=APPROVED")[0].startswith("400")
    assert ask(server, "/submissions/nobody/leave", "status=RETURNED")[0].startswith("404")
    assert (first.status, second.status) == ("RETURNED", "TIMED-OUT")
