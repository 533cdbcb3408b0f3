"""Without a token, Prolific's own list of submissions is uploaded; other columns leave no trace."""

from __future__ import annotations

import io
from datetime import datetime

import pytest

from core.errors import Invalid
from raters.models import Batch, Session, Submission
from raters.payments import reconciling, submissions
from raters.rating.models import CLOSED
from tests.raters.payments.world import World, make

pytestmark = pytest.mark.django_db
HEADER = (
    "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,Reviewed at,"
    "Archived at,Time taken,Completion code,Total approvals,Fluent languages,Age,Sex,Ethnicity simplified"
)


@pytest.fixture
def world(now: datetime) -> World:
    return make(now)


def line(name: str, person: str, state: str, code: str = "DONE-1") -> str:
    return (
        f"{name},{person},{state},Not Applicable,2026-03-02T09:30:00.000000Z,2026-03-02T09:41:00.000000Z,,,660,{code},"
        '1203,"English, Xhosa",67.5,Female,SECRETLY-OTHER'
    )


def upload(world: World, *lines: str, header: str = HEADER) -> int:
    content = "\ufeff" + "\r\n".join([header, *lines]) + "\r\n"
    return submissions.upload(platform=world.platform, file=io.BytesIO(content.encode()), now=world.now)


def test_a_list_is_set_beside_our_sessions_and_frees_places_as_a_reading_does(world: World) -> None:
    done, gone = world.finish("ann"), world.arrive("bob").start()
    gone.rate()
    number = upload(
        world,
        line(done.session.ext_session, "ann", "AWAITING REVIEW", "LEFT-1"),
        line(gone.session.ext_session, "bob", "RETURNED", ""),
        line("s-stranger", "eve", "APPROVED"),
    )
    assert number == 3
    assert Batch.objects.get(session=gone.session).state == CLOSED
    rows = reconciling.rows(world.study.pk, reconciling.platforms(world.study.pk))
    assert [row.differs for row in rows] == [("wrong_code",), (), ("not_here",)]


@pytest.mark.parametrize("code", ["", "NOCODE", "nocode"])
def test_what_people_enter_who_have_no_code_is_no_wrong_code(world: World, code: str) -> None:
    done, codeless = world.finish("ann"), world.finish("eve", Session.Outcome.DECLINED)
    for person in (done, codeless):
        upload(world, line(person.session.ext_session, person.name, "AWAITING REVIEW", code))
    rows = reconciling.rows(world.study.pk, reconciling.platforms(world.study.pk))
    assert [row.differs for row in rows] == [("no_code",), ()]
    assert set(Submission.objects.values_list("code", flat=True)) == {code}


def test_nothing_of_the_other_columns_is_kept(world: World) -> None:
    upload(world, line("s-1", "person-one", "APPROVED"))
    kept = " ".join(str(value) for row in Submission.objects.values() for value in row.values())
    assert not [word for word in ("person-one", "SECRETLY", "Xhosa", "Female", "67.5") if word in kept]


def test_a_later_list_changes_what_an_earlier_one_said(world: World) -> None:
    upload(world, line("s-1", "p", "AWAITING REVIEW"), line("s-2", "p2", "TIMED-OUT", ""))
    upload(world, line("s-1", "p", "APPROVED"), line("s-2", "p2", "some new word", ""))
    assert list(Submission.objects.order_by("ext_session").values_list("state", flat=True)) == ["approved", "unknown"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "column"),
        (b"Name,Mark\nann,1\n", "submission id"),
        (b"Submission id,Status\n", "no submissions"),
        (b"Submission id,Status\n=1+1,APPROVED\n", "Line 2"),
        (b"Submission id,Status\ns-1\n<script>,APPROVED\n", "Line 3"),
        (b"\xff\xfe\x00\x01", "UTF-8"),
        (b'Submission id,Status\n"' + b"x" * 140_000, "Line"),
    ],
)
def test_a_file_that_is_no_such_list_is_refused_whole(world: World, content: bytes, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        submissions.upload(platform=world.platform, file=io.BytesIO(content), now=world.now)
    assert not Submission.objects.exists()


def test_a_file_of_great_size_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "LARGEST", 10)
    with pytest.raises(Invalid, match="large"):
        upload(world, line("s-1", "p", "APPROVED"))
