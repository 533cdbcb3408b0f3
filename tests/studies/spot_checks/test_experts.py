"""Who is let in as an expert, by which link, and until when."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from accounts.users.roles import EXPERTS
from core.errors import Conflict, DomainError, Gone, Invalid, NotFound
from studies.decisions import experts
from studies.models import Clip, ExpertClip, ExpertInvite, Study, StudyExpert
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
GOOD = "a long and quiet afternoon"


@pytest.fixture
def study(now: datetime) -> Study:
    return make_study(now=now, texts=2, launch=False)


@pytest.fixture
def token(study: Study, now: datetime) -> str:
    return experts.invite(study=study, by=None, now=now, email="eva@example.org")[1]


@pytest.fixture
def eva(db: None) -> User:
    return User.objects.create_user("eva", password="pw")


def test_an_invitation_lets_one_person_in_and_is_kept_as_a_hash_alone(
    study: Study, token: str, eva: User, now: datetime
) -> None:
    assert len(token) == 22
    kept = ExpertInvite.objects.get()
    assert token not in str(vars(kept))
    made = experts.accept(token=token, user=eva, now=now)
    assert (made.study, made.user, made.at) == (study, eva, now)
    assert eva.groups.get().name == EXPERTS
    assert not eva.is_staff
    assert experts.may_review(study, eva)
    assert list(experts.studies_of(eva)) == [study]
    kept.refresh_from_db()
    assert (kept.used_at, kept.used_by) == (now, eva)


def test_a_link_works_once(token: str, eva: User, now: datetime) -> None:
    experts.accept(token=token, user=eva, now=now)
    other = User.objects.create_user("otto")
    with pytest.raises(Gone) as refused:
        experts.accept(token=token, user=other, now=now)
    assert refused.value.code == "used"
    assert not other.groups.exists()


@pytest.mark.parametrize("code", ["expired", "revoked", "not_found"])
def test_a_link_that_ran_out_was_taken_back_or_never_was_lets_nobody_in(
    study: Study, token: str, eva: User, now: datetime, code: str
) -> None:
    later = now + (experts.VALID_FOR if code == "expired" else timedelta(0))
    if code == "revoked":
        experts.revoke_invite(study=study, invite_id=ExpertInvite.objects.get().pk, now=now)
    with pytest.raises(DomainError) as refused:
        experts.accept(token="x" * 22 if code == "not_found" else token, user=eva, now=later)
    assert refused.value.code == code
    assert not experts.may_review(study, eva)


def test_access_is_taken_back_and_given_again(study: Study, token: str, eva: User, now: datetime) -> None:
    given = experts.accept(token=token, user=eva, now=now)
    experts.revoke(study=study, expert_id=given.pk, now=now)
    assert not experts.may_review(study, eva)
    assert not experts.studies_of(eva).exists()
    with pytest.raises(Conflict):
        experts.revoke(study=study, expert_id=given.pk, now=now)
    again = experts.invite(study=study, by=None, now=now)[1]
    experts.accept(token=again, user=eva, now=now)
    assert experts.may_review(study, eva)
    assert [each.revoked_at for each in experts.of_study(study)] == [now, None]


def test_two_invitations_to_one_person_make_one_expert(study: Study, token: str, eva: User, now: datetime) -> None:
    first = experts.accept(token=token, user=eva, now=now)
    second = experts.accept(token=experts.invite(study=study, by=None, now=now)[1], user=eva, now=now)
    assert first == second
    assert StudyExpert.objects.count() == 1


def test_nothing_is_taken_back_in_somebody_elses_study(study: Study, token: str, eva: User, now: datetime) -> None:
    other = make_study(now=now, texts=2, launch=False)
    with pytest.raises(NotFound):
        experts.revoke_invite(study=other, invite_id=ExpertInvite.objects.get().pk, now=now)
    given = experts.accept(token=token, user=eva, now=now)
    with pytest.raises(NotFound):
        experts.revoke(study=other, expert_id=given.pk, now=now)
    with pytest.raises(Conflict):
        experts.revoke_invite(study=study, invite_id=ExpertInvite.objects.get().pk, now=now)
    assert experts.may_review(study, eva)


def test_the_owner_and_superusers_are_let_in_and_nobody_else(study: Study, eva: User, now: datetime) -> None:
    owner, root = User.objects.create_user("rita"), User.objects.create_superuser("root")
    study.owner = owner
    study.save()
    assert experts.may_review(study, owner)
    assert experts.may_review(study, root)
    assert not experts.may_review(study, eva)
    assert not experts.may_review(study, AnonymousUser())
    owner.is_active = False
    assert not experts.may_review(study, owner)
    study.owner = None
    assert not experts.may_review(study, User())


def test_somebody_without_an_account_makes_one(study: Study, token: str, now: datetime) -> None:
    user = experts.accept_as_new(token=token, username=" eva ", password=GOOD, now=now)
    assert (user.username, user.email, user.is_staff, user.is_superuser) == ("eva", "eva@example.org", False, False)
    assert user.check_password(GOOD)
    assert experts.may_review(study, user)


@pytest.mark.parametrize(
    ("username", "password", "field"),
    [
        ("", GOOD, "username"),
        ("e v a", GOOD, "username"),
        ("x" * 151, GOOD, "username"),
        ("otto", GOOD, "username"),
        ("OTTO", GOOD, "username"),
        ("eva", "short", "password"),
        ("eva", "password1", "password"),
    ],
)
def test_an_account_needs_a_free_name_and_a_good_password(
    token: str, now: datetime, username: str, password: str, field: str
) -> None:
    User.objects.create_user("otto")
    with pytest.raises(Invalid) as refused:
        experts.accept_as_new(token=token, username=username, password=password, now=now)
    assert set(refused.value.problems) == {field}
    assert User.objects.count() == 1
    assert ExpertInvite.objects.get().used_at is None


def test_a_clip_has_one_name_for_each_expert(study: Study, token: str, eva: User, now: datetime) -> None:
    experts.accept(token=token, user=eva, now=now)
    root = User.objects.create_superuser("root")
    clips = list(Clip.objects.filter(study=study).values_list("pk", flat=True))
    keys = experts.audio_keys(user_id=eva.pk, clips=clips[:2])
    assert experts.audio_keys(user_id=eva.pk, clips=clips[:3]).items() >= keys.items()
    others = experts.audio_keys(user_id=root.pk, clips=clips[:3])
    assert not set(others.values()) & set(keys.values())
    assert {len(key) for key in ExpertClip.objects.values_list("key", flat=True)} == {22}
    name, size = experts.rendition(study=study, user=eva, key=keys[clips[0]])
    clip = Clip.objects.get(pk=clips[0])
    assert (name, size) == (clip.rendition, clip.rendition_bytes)
    for user, where, key in ((root, study, keys[clips[0]]), (eva, make_study(now=now, texts=2), keys[clips[0]])):
        with pytest.raises(NotFound):
            experts.rendition(study=where, user=user, key=key)
