"""Invite people to a study, change and end their roles, and hand a study over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.users import invitations
from accounts.users.models import User
from accounts.users.roles import RESEARCHERS
from core.errors import Conflict, Invalid, NotFound
from studies.definition.models import Study
from studies.members.models import GivenRole, Member, MemberInvite

VALID_FOR = timedelta(days=7)


def of_study(study: Study) -> Sequence[Member]:
    """Return the present members in the order of joining."""
    return list(Member.objects.filter(study=study, removed_at=None).select_related("user", "added_by").order_by("pk"))


def former(study: Study) -> Sequence[Member]:
    """Return the removed members, most recently removed first."""
    rows = Member.objects.filter(study=study).exclude(removed_at=None)
    return list(rows.select_related("user", "removed_by").order_by("-removed_at"))


def invites(study: Study) -> Sequence[MemberInvite]:
    return invitations.waiting(MemberInvite, study=study)


def invite(*, study: Study, role: str, by: User, now: datetime, email: str = "") -> tuple[MemberInvite, str]:
    """Create an invitation and return it with its token, which is not stored."""
    return invitations.issue(
        MemberInvite, study=study, role=_given(role), by=by, now=now, valid_for=VALID_FOR, email=email
    )


@transaction.atomic
def accept(*, token: str, user: User, now: datetime) -> Member:
    """Give a signed-in person the role of an invitation; raise `NotFound`, `Gone` or `Conflict`."""
    record = invitations.checked(MemberInvite, token=token, now=now, lock=True)
    if record.study.owner_id == user.pk:
        raise Conflict(_("You own this study, so you can’t take another role in it."), code="is_owner")
    invitations.use(record, user=user, now=now)
    if not user.is_staff:
        user.is_staff = True
        user.save(update_fields=["is_staff"])
    user.groups.add(Group.objects.get(name=RESEARCHERS))
    return _put(record.study, user, record.role, record.invited_by, now)


accept_as_new = partial(invitations.accept_as_new, MemberInvite, accept)
revoke_invite = partial(invitations.revoke, MemberInvite)


@transaction.atomic
def change_role(*, study: Study, member_id: int, role: str, shown: str | None = None) -> Member:
    """Give a member another role; raise `Conflict` if it is no longer the role that was shown."""
    member = _present(study, member_id)
    if shown is not None and member.role not in {shown, role}:
        text = _("Another person changed this role meanwhile: {name} is “{role}” now. Nothing was changed.")
        raise Conflict(text.format(name=member.user, role=member.get_role_display()))
    member.role = _given(role)
    member.save(update_fields=["role"])
    return member


@transaction.atomic
def remove(*, study: Study, member_id: int, by: User, now: datetime) -> Member:
    """End a member's access; their work stays."""
    member = _present(study, member_id)
    member.removed_by, member.removed_at = by, now
    member.save(update_fields=["removed_by", "removed_at"])
    return member


@transaction.atomic
def restore(*, study: Study, member_id: int, by: User, now: datetime) -> Member:
    """Give a removed member their role back, in a new row."""
    row = Member.objects.filter(study=study, pk=member_id).exclude(removed_at=None).select_related("user").first()
    if row is None:
        raise NotFound(_("There is no such former member in this study."))
    is_back = Member.objects.filter(study=study, user=row.user, removed_at=None).exists()
    if is_back or study.owner_id == row.user_id:
        raise Conflict(_("{name} has a role in this study again.").format(name=row.user), code="is_member")
    return _put(study, row.user, row.role, by, now)


@transaction.atomic
def hand_over(*, study: Study, member_id: int, by: User, now: datetime) -> User:
    """Make a member the owner, and the old owner an editor. Return the new owner."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    member = _present(study, member_id)
    if not member.user.is_active:
        raise Conflict(_("This account is not active, so it can’t own a study."), code="not_active")
    before = study.owner
    remove(study=study, member_id=member.pk, by=by, now=now)
    study.owner = member.user
    study.save(update_fields=["owner"])
    if before is not None:
        _put(study, before, GivenRole.EDITOR, by, now)
    return member.user


def _present(study: Study, member_id: int) -> Member:
    rows = Member.objects.select_for_update(no_key=True, of=("self",)).select_related("user")
    member = rows.filter(study=study, pk=member_id, removed_at=None).first()
    if member is None:
        raise NotFound(_("There is no such member in this study."))
    return member


def _put(study: Study, user: User, role: str, by: User | None, now: datetime) -> Member:
    member, is_new = Member.objects.select_for_update(no_key=True).get_or_create(
        study=study, user=user, removed_at=None, defaults={"role": role, "added_by": by, "added_at": now}
    )
    if not is_new and member.role != role:
        member.role = role
        member.save(update_fields=["role"])
    return member


def _given(role: str) -> str:
    if role not in GivenRole.values:
        reason = _("Choose one of the roles listed.")
        raise Invalid(reason, {"role": reason})
    return role
