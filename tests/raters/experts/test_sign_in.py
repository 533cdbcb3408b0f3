"""The way in for experts: invitations, sign-in, and what is shut to whom."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core import clock
from studies.decisions import experts
from studies.models import Clip, ExpertInvite, Study, StudyExpert
from tests.raters.experts.people import expert
from tests.researchers import logged_in, researcher, text, url
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
GOOD = "a long and quiet afternoon"


@pytest.fixture
def study(now: datetime) -> Study:
    study = make_study(now=now, texts=2)
    study.owner = researcher("rita")
    study.save()
    return study


def invited(study: Study) -> str:
    return reverse("experts:invitation", args=[experts.invite(study=study, by=None, now=clock.now())[1]])


def test_a_researcher_invites_and_the_link_is_shown_once(study: Study) -> None:
    assert study.owner
    rita = logged_in(study.owner)
    page = rita.post(url("experts", study.slug), {"invite": "1", "email": "eva@example.org"})
    [link] = re.findall(r"http://testserver(/experts/invitation/[\w-]{22}/)", text(page))
    listed = text(rita.get(url("experts", study.slug)))
    assert "eva@example.org" in listed
    assert link not in listed
    assert Client().get(link).status_code == 200
    wrong = rita.post(url("experts", study.slug), {"invite": "1", "email": "no address"})
    assert "valid email" in text(wrong)
    assert ExpertInvite.objects.count() == 1


def test_a_researcher_lists_experts_and_takes_access_back(study: Study) -> None:
    assert study.owner
    rita, eva = logged_in(study.owner), expert("eva", study)
    browser = logged_in(eva)
    assert study.title in text(browser.get(reverse("experts:index")))
    assert "eva" in text(rita.get(url("experts", study.slug)))
    done = rita.post(url("experts", study.slug), {"revoke": StudyExpert.objects.get().pk}, follow=True)
    assert "no longer has access to this study" in text(done)
    assert study.title not in text(browser.get(reverse("experts:index")))
    again = rita.post(url("experts", study.slug), {"revoke": StudyExpert.objects.get().pk}, follow=True)
    assert "already revoked" in text(again)
    made, _token = experts.invite(study=study, by=None, now=clock.now())
    assert "invitation was revoked" in text(rita.post(url("experts", study.slug), {"void": made.pk}, follow=True))


def test_other_researchers_and_experts_stay_out_of_the_page_of_invitations(study: Study) -> None:
    assert logged_in(researcher("ruth")).get(url("experts", study.slug)).status_code == 404
    assert logged_in(expert("eva", study)).get(url("experts", study.slug)).status_code == 302
    assert logged_in(researcher("rolf")).post(url("experts", study.slug), {"invite": "1"}).status_code == 404
    assert not ExpertInvite.objects.filter(used_at=None).exists()


def test_somebody_new_makes_an_account_and_is_in(study: Study) -> None:
    link, browser = invited(study), Client()
    page = text(browser.get(link))
    assert study.title in page
    given = {"new": "1", "username": "eva", "password": GOOD, "again": GOOD}
    assert "passwords don’t match" in text(browser.post(link, {**given, "again": "else"}))
    common = browser.post(link, {**given, "password": "password1", "again": "password1"})
    assert (common.status_code, "too common" in text(common)) == (422, True)
    assert browser.post(link, given)["Location"] == reverse("experts:index")
    assert study.title in text(browser.get(reverse("experts:index")))
    assert browser.get("/admin/").status_code == 302
    used = Client().get(link)
    assert (used.status_code, "already used" in text(used)) == (410, True)


def test_somebody_with_an_account_accepts_with_it(study: Study) -> None:
    link = invited(study)
    expert("otto")
    browser = Client()
    assert f"{reverse('experts:sign_in')}?next={link}" in text(browser.get(link))
    signed = browser.post(reverse("experts:sign_in"), {"username": "otto", "password": "pw", "next": link})
    assert signed["Location"] == link
    assert "Accept as otto" in text(browser.get(link))
    assert browser.post(link, {"accept": "1"})["Location"] == reverse("experts:index")
    assert StudyExpert.objects.get().user.username == "otto"


def test_nobody_accepts_without_signing_in(study: Study) -> None:
    assert Client().post(invited(study), {"accept": "1"}).status_code == 200
    assert not StudyExpert.objects.exists()


@pytest.mark.parametrize("token", ["x" * 22, "x"])
def test_an_unknown_invitation_says_so(token: str) -> None:
    answer = Client().get(reverse("experts:invitation", args=[token]))
    assert answer.status_code == 404
    assert "no such invitation" in text(answer)


def test_signing_in_leads_to_the_studies_and_never_to_another_host(study: Study) -> None:
    expert("eva", study)
    browser = Client()
    asked = browser.get(reverse("experts:index"))
    assert asked["Location"].startswith(reverse("experts:sign_in"))
    given = {"username": "eva", "password": "pw", "next": "https://elsewhere.example.org/"}
    wrong = browser.post(reverse("experts:sign_in"), {**given, "password": "no"})
    assert "correct username" in text(wrong)
    assert browser.post(reverse("experts:sign_in"), given)["Location"] == reverse("experts:index")
    assert browser.post(reverse("experts:sign_out"))["Location"] == reverse("experts:sign_in")
    assert browser.get(reverse("experts:index")).status_code == 302


def test_somebody_without_studies_is_told_what_to_do() -> None:
    assert "No study is open to you" in text(logged_in(expert("eva")).get(reverse("experts:index")))


def test_audio_comes_by_a_name_of_ones_own_and_by_range(study: Study, now: datetime) -> None:
    eva, otto = expert("eva", study), expert("otto", study)
    clip = Clip.objects.filter(study=study)[0]
    key = experts.audio_keys(user_id=eva.pk, clips=[clip.pk])[clip.pk]
    address = reverse("experts:audio", args=[study.slug, key])
    browser = logged_in(eva)
    whole = browser.get(address)
    assert len(whole.getvalue()) == clip.rendition_bytes
    assert (whole["Cache-Control"], whole["Content-Type"]) == ("private, no-store", "audio/wav")
    part = browser.get(address, headers={"Range": "bytes=2-5"})
    assert (part.status_code, len(part.getvalue())) == (206, 4)
    assert browser.head(address)["Content-Length"] == str(clip.rendition_bytes)
    for user in (otto, AnonymousUser()):
        stranger = Client() if user.is_anonymous else logged_in(user)
        assert stranger.get(address).status_code == 404
    other = make_study(now=now, texts=2)
    assert browser.get(reverse("experts:audio", args=[other.slug, key])).status_code == 404
    experts.revoke(study=study, expert_id=StudyExpert.objects.get(user=eva).pk, now=now)
    assert browser.get(address).status_code == 404


def test_an_invitation_is_kept_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    import logging

    from core.operations.logs import WithoutKeys

    record = logging.LogRecord(
        "x", 40, "", 0, "%s: %s", ("Not Found", "/experts/invitation/xY7_dkq0PzB2mWv-3LrT9A/"), None
    )
    WithoutKeys().filter(record)
    assert record.getMessage() == "Not Found: /experts/invitation/…/"


def test_the_first_expert_needs_no_more_than_the_group_to_exist(study: Study) -> None:
    eva = expert("eva", study)
    assert [group.name for group in eva.groups.all()] == ["Experts"]
    assert not eva.get_all_permissions()
    assert isinstance(eva, User)
