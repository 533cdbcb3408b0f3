"""Permissions in studies: every page, endpoint, list and export asks here."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from core.errors import DomainError
from studies.definition.models import Study
from studies.members.models import GivenRole, Member
from studies.rules.roles import EVERYTHING, Capability, Role, capabilities, roles_with

State = Study.State
# There are no scores before the launch, and after closing everybody may see them.
NOT_COLLECTING = (State.DRAFT, State.PILOT, State.CLOSED)


class NotAllowed(DomainError):
    """The person sees the study, but their role doesn't allow this action."""

    status = 403
    code = "not_allowed"


def original(study: Study) -> Study:
    """Return the study that owner and members belong to: for a pilot, its original."""
    return study if study.pilot_of is None else study.pilot_of


def is_collecting(study: Study) -> bool:
    """True while score-blinded editors may not see answers; for a pilot, until the study is closed."""
    if study.pilot_of is not None:
        return study.pilot_of.state != State.CLOSED
    return study.state not in NOT_COLLECTING


def role_of(study: Study, user: Any) -> Role | None:
    """Return a person's role; one query per loaded `study` for people who don't own it."""
    if user is None or user.pk is None or not user.is_active:
        return None
    study = original(study)
    if study.owner_id == user.pk:
        return Role.OWNER
    known: dict[int, Role | None] = study.__dict__.setdefault("roles_read", {})
    if user.pk not in known:
        role = Member.objects.filter(study=study, user=user.pk, removed_at=None).values_list("role", flat=True).first()
        known[user.pk] = Role(role) if role else None
    return known[user.pk]


def shared(user: Any) -> dict[int, Role]:
    """Return {study: role} of the studies shared with this person; empty for a superuser, who sees all."""
    if user.pk is None or user.is_superuser:
        return {}
    rows = Member.objects.filter(user=user.pk, removed_at=None).values_list("study_id", "role")
    return {study: Role(role) for study, role in rows}


def label(role: Role) -> str:
    """Return the label of a role."""
    return str(GivenRole(role.value).label)


def allowed(study: Study, user: Any) -> frozenset[Capability]:
    """Return this person's present capabilities in the study."""
    if user is not None and user.is_active and user.is_superuser:
        return EVERYTHING
    return capabilities(role_of(study, user), is_collecting=is_collecting(study))


def may(study: Study, user: Any, capability: Capability) -> bool:
    """True if this person has the capability in the study now."""
    return capability in allowed(study, user)


def may_with_right(study: Study, user: Any, capability: Capability, right: str) -> bool:
    """True if the person has the capability, and is the study's payer or has this permission on the server."""
    return may(study, user, capability) and (role_of(study, user) == Role.PAYER or user.has_perm(right))


def need(study: Study, user: Any, capability: Capability) -> None:
    """Raise `NotAllowed` unless this person may do this in the study now."""
    if not may(study, user, capability):
        raise NotAllowed(_("Your role in this study does not allow this. Ask the study’s owner."))


def visible(user: Any, capability: Capability | None = None) -> QuerySet[Study]:
    """Return a person's own studies and those shared with them, with their pilots; all for a superuser.

    With a capability, only those where they have it now. Lists of studies leave out pilots.
    """
    if user.pk is None:
        return Study.objects.none()
    if user.is_superuser:
        return Study.objects.all()
    owned = Q(owner=user.pk) | Q(pilot_of__owner=user.pk)
    mine = Member.objects.filter(user=user.pk, removed_at=None)
    if capability is None:
        return Study.objects.filter(owned | _of(mine))
    always = mine.filter(role__in=roles_with(capability, is_collecting=True))
    later = mine.filter(role__in=roles_with(capability, is_collecting=False))
    is_over = Q(pilot_of=None, state__in=NOT_COLLECTING) | Q(pilot_of__state=State.CLOSED)
    return Study.objects.filter(owned | _of(always) | (_of(later) & is_over))


def _of(members: QuerySet[Member]) -> Q:
    studies = members.values("study")
    return Q(pk__in=studies) | Q(pilot_of__in=studies)
