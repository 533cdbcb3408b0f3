"""Members of a study: invited by a link that works once, given roles, removed, and handed the study."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.users.roles import RESEARCHERS
from core import clock
from core.errors import Conflict, Gone, Invalid, NotFound
from studies.members import access, services
from studies.models import Clip, Member, MemberInvite, Study
from studies.rules.roles import CAPABILITIES, Capability, Role, capabilities
from tests.researchers import logged_in, researcher, text, url
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def rita(now: datetime) -> User:
    return researcher("rita")


@pytest.fixture
def study(rita: User) -> Study:
    study = make_study(now=clock.now())
    study.owner = rita
    study.save()
    return study


def join(study: Study, name: str, role: str) -> Member:
    """Let a researcher of this name take a role."""
    _invite, token = services.invite(study=study, role=role, by=study.owner, now=clock.now())  # type: ignore[arg-type]
    user = User.objects.filter(username=name).first() or researcher(name)
    return services.accept(token=token, user=user, now=clock.now())


def fresh(study: Study) -> Study:
    return Study.objects.get(pk=study.pk)


def test_an_invitation_gives_its_role_once_and_is_stored_as_a_hash(study: Study, rita: User) -> None:
    invite, token = services.invite(study=study, role="viewer", by=rita, now=clock.now(), email=" v@example.org ")
    assert token not in str(MemberInvite.objects.values())
    assert invite.email == "v@example.org"
    vera = researcher("vera")
    member = services.accept(token=token, user=vera, now=clock.now())
    assert (member.role, member.added_by) == ("viewer", rita)
    assert access.role_of(fresh(study), vera) == Role.VIEWER
    with pytest.raises(Gone, match="already used"):
        services.accept(token=token, user=researcher("vic"), now=clock.now())
    assert Member.objects.count() == 1


def test_old_revoked_and_unknown_links_say_so_and_give_nothing(study: Study, rita: User) -> None:
    _first, expired = services.invite(study=study, role="editor", by=rita, now=clock.now() - timedelta(days=7))
    second, revoked = services.invite(study=study, role="editor", by=rita, now=clock.now())
    services.revoke_invite(study=study, invite_id=second.pk, now=clock.now())
    vera = logged_in(researcher("vera"))
    for token, status, words in (
        (expired, 410, "has expired"),
        (revoked, 410, "was revoked"),
        ("x" * 22, 404, "no such invitation"),
    ):
        for response in (vera.post(link(token), {"accept": "1"}), Client().get(link(token))):
            assert response.status_code == status
            assert words in text(response)
    assert not Member.objects.exists()
    with pytest.raises(Conflict):
        services.revoke_invite(study=study, invite_id=second.pk, now=clock.now())
    with pytest.raises(NotFound):
        services.revoke_invite(study=make_study(now=clock.now()), invite_id=second.pk, now=clock.now())
    _last, just_valid = services.invite(
        study=study, role="editor", by=rita, now=clock.now() - timedelta(days=7) + timedelta(minutes=5)
    )
    assert Client().get(link(just_valid)).status_code == 200


def link(token: str) -> str:
    return reverse("members:invitation", args=[token])


def test_somebody_without_an_account_makes_one_and_arrives_in_the_study(study: Study, rita: User) -> None:
    _invite, token = services.invite(study=study, role="editor", by=rita, now=clock.now(), email="eve@example.org")
    browser = Client()
    page = text(browser.get(link(token)))
    assert f"You are invited to “{study.title}” as: Editor" in page
    sent = {"username": "eve", "password": "long-enough-7", "again": "long-enough-7", "new": "1"}
    taken = browser.post(link(token), {**sent, "username": "RITA"})
    assert taken.status_code == 422
    assert "already in use" in text(taken)
    done = browser.post(link(token), sent)
    assert done["Location"] == f"/studies/{study.slug}/"
    assert browser.get(done["Location"]).status_code == 200
    eve = User.objects.get(username="eve")
    assert eve.is_staff
    assert eve.groups.filter(name=RESEARCHERS).exists()
    assert eve.email == "eve@example.org"
    assert browser.get(url("members", study.slug)).status_code == 200


def test_an_expert_who_accepts_becomes_a_researcher(study: Study, rita: User) -> None:
    _invite, token = services.invite(study=study, role="payer", by=rita, now=clock.now())
    expert = User.objects.create_user("xena", password="pw")
    browser = logged_in(expert)
    assert "Accept as xena" in text(browser.get(link(token)))
    assert browser.post(link(token), {"accept": "1"})["Location"] == reverse("workspace:home")
    expert.refresh_from_db()
    assert expert.is_staff


def test_the_owner_takes_no_other_role(study: Study, rita: User) -> None:
    _invite, token = services.invite(study=study, role="viewer", by=rita, now=clock.now())
    refused = logged_in(rita).post(link(token), {"accept": "1"})
    assert refused.status_code == 409
    assert "You own this study" in text(refused)
    assert not Member.objects.exists()
    assert MemberInvite.objects.get().used_at is None


def test_invitations_are_limited_as_sign_ins_are(study: Study, settings: Any) -> None:
    settings.SIGN_IN_RATE = 1
    answers = [Client().get(link("x" * 22)).status_code for _each in range(60)]
    assert answers[0] == 404
    assert answers[-1] == 429


def test_a_role_is_changed_ended_and_given_back_and_each_step_is_logged(study: Study, rita: User) -> None:
    owner, member = logged_in(rita), join(study, "vera", "viewer")
    page = url("members", study.slug)
    owner.post(page, {"change": member.pk, "role": "editor"})
    assert access.role_of(fresh(study), member.user) == Role.EDITOR
    owner.post(page, {"remove": member.pk})
    assert access.role_of(fresh(study), member.user) is None
    assert logged_in(member.user).get(f"/studies/{study.slug}/").status_code == 404
    member.refresh_from_db()
    assert member.removed_by == rita
    assert "Former members" in text(owner.get(page))
    owner.post(page, {"restore": member.pk})
    assert access.role_of(fresh(study), member.user) == Role.EDITOR
    assert "has access to this study again." in text(owner.get(page))
    owner.post(page, {"invite": "1", "role": "payer"})
    said = [entry.get_change_message() for entry in LogEntry.objects.filter(object_id=str(study.pk)).order_by("pk")]
    assert said == [
        "vera now has the role “Editor”.",
        "vera no longer has access to this study. You can undo this below.",
        "vera has access to this study again.",
        "Somebody was invited with the role “Payer”.",
    ]
    with pytest.raises(Conflict):
        services.restore(study=study, member_id=member.pk, by=rita, now=clock.now())
    with pytest.raises(Invalid):
        services.change_role(study=study, member_id=Member.objects.get(removed_at=None).pk, role="owner")


def test_a_role_that_another_person_changed_meanwhile_is_not_changed_again(study: Study, rita: User) -> None:
    owner, member = logged_in(rita), join(study, "vera", "editor")
    page = url("members", study.slug)
    answer = owner.post(page, {"change": member.pk, "role": "payer", "shown": "viewer"}, follow=True)
    assert access.role_of(fresh(study), member.user) == Role.EDITOR
    assert "vera is “Editor” now. Nothing was changed." in text(answer)


def test_a_study_is_handed_over_and_its_owner_becomes_an_editor(study: Study, rita: User) -> None:
    member = join(study, "vera", "viewer")
    logged_in(rita).post(url("members", study.slug), {"hand_over": member.pk})
    study = fresh(study)
    assert study.owner == member.user
    assert access.role_of(study, member.user) == Role.OWNER
    assert access.role_of(study, rita) == Role.EDITOR
    assert not Member.objects.filter(user=member.user, removed_at=None).exists()
    assert logged_in(rita).post(url("members", study.slug), {"invite": "1", "role": "viewer"}).status_code == 403


def test_members_of_another_study_are_out_of_reach(study: Study, rita: User) -> None:
    other = make_study(now=clock.now())
    other.owner = researcher("olga")
    other.save()
    member = join(other, "vera", "viewer")
    for action in ("change", "remove", "hand_over", "restore"):
        answer = logged_in(rita).post(url("members", study.slug), {action: member.pk, "role": "editor"}, follow=True)
        assert "There is no such" in text(answer)
    assert access.role_of(fresh(other), member.user) == Role.VIEWER
    assert fresh(study).owner == rita


def test_only_the_owner_sees_invitations_and_buttons(study: Study, rita: User) -> None:
    services.invite(study=study, role="viewer", by=rita, now=clock.now(), email="secret@example.org")
    member = join(study, "ed", "editor")
    page = text(logged_in(member.user).get(url("members", study.slug)))
    assert "ed" in page
    assert "secret@example.org" not in page
    assert 'name="remove"' not in page
    assert "secret@example.org" in text(logged_in(rita).get(url("members", study.slug)))


def test_a_viewer_s_action_on_rows_of_two_studies_changes_none(study: Study, rita: User) -> None:
    member = join(study, "vera", "viewer")
    own = make_study(now=clock.now())
    Study.objects.filter(pk=own.pk).update(owner=member.user)
    browser, page = logged_in(member.user), reverse("admin:studies_clip_changelist")
    theirs, mine = (Clip.objects.filter(study=each).first() for each in (study, own))
    assert theirs is not None
    assert mine is not None
    sent = {"action": "withdraw", "_selected_action": [theirs.pk, mine.pk]}
    assert "Your role doesn’t allow this" in text(browser.post(page, sent, follow=True))
    assert not Clip.objects.exclude(withdrawn_at=None).exists()
    browser.post(page, {**sent, "_selected_action": [mine.pk]})
    assert list(Clip.objects.exclude(withdrawn_at=None)) == [mine]


def test_lists_of_studies_hold_one_s_own_and_shared_ones(study: Study) -> None:
    make_study(now=clock.now())
    vera = join(study, "vera", "viewer").user
    assert list(access.visible(vera)) == [study]
    assert list(access.visible(vera, Capability.SEE_STUDY)) == [study]
    assert list(access.visible(vera, Capability.CHANGE_STUDY)) == []
    assert [row["slug"] for row in logged_in(vera).get("/api/v1/studies").json()["results"]] == [study.slug]


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_lists_of_studies_no_longer_hold_those_that_one_was_removed_from(study: Study, rita: User, role: str) -> None:
    member = join(study, "vera", role)
    assert list(access.visible(member.user)) == [study]
    services.remove(study=study, member_id=member.pk, by=rita, now=clock.now())
    for capability in (None, Capability.SEE_STUDY, Capability.CHANGE_STUDY, Capability.SEE_SCORES):
        assert not access.visible(member.user, capability).exists()


def test_the_role_costs_the_owner_no_query_and_others_one(
    study: Study, rita: User, django_assert_num_queries: Any
) -> None:
    vera = join(study, "vera", "viewer").user
    study = fresh(study)
    with django_assert_num_queries(0):
        assert access.may(study, rita, Capability.PAY)
    with django_assert_num_queries(1):
        assert access.may(study, vera, Capability.SEE_SCORES)
        assert not access.may(study, vera, Capability.SEE_PLATFORM_IDS)


def test_nobody_is_nobody_in_a_study_without_an_owner(study: Study, client: Client) -> None:
    Study.objects.update(owner=None)
    stranger = researcher("sam")
    assert not access.allowed(fresh(study), stranger)
    assert not access.visible(stranger).exists()
    assert not access.visible(client.get("/").wsgi_request.user).exists()


def test_blinding_ends_with_the_study_and_every_other_role_stays_as_it_is() -> None:
    for role in Role:
        while_collecting, else_ = (capabilities(role, is_collecting=each) for each in (True, False))
        withheld = {Capability.SEE_SCORES, Capability.REVIEW, Capability.INVITE_EXPERTS}
        assert else_ - while_collecting == (withheld if role == Role.BLINDED else set())
    assert CAPABILITIES[Role.BLINDED] == CAPABILITIES[Role.EDITOR]


def test_pages_offer_only_what_the_role_allows(study: Study, rita: User) -> None:
    members = {role: logged_in(join(study, f"a-{role}", role).user) for role in ("editor", "viewer", "blinded")}
    everybody = {"owner": logged_in(rita), **members}
    offered = {
        who: [
            name
            for name, page, words in (
                ("close", url("launch", study.slug), "move/close/"),
                ("pause", url("launch", study.slug), "move/pause/"),
                ("experts", url("experts", study.slug), 'name="invite"'),
                ("members", url("members", study.slug), 'name="invite"'),
                ("payments", url("launch", study.slug), reverse("paying:overview", args=[study.slug])),
                ("plan", reverse("analysis:planning", args=[study.slug]), 'id="power-title"'),
            )
            if words in text(browser.get(page))
        ]
        for who, browser in everybody.items()
    }
    assert offered == {
        "owner": ["close", "pause", "experts", "members", "payments", "plan"],
        "editor": ["pause", "experts", "payments", "plan"],
        "viewer": [],
        "blinded": ["pause", "payments", "plan"],
    }
