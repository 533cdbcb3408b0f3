"""Who may do what in which study: every page, endpoint, list and export asks here."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from core.errors import DomainError
from studies.definition.models import Study
from studies.members.models import GivenRole, Member
from studies.rules.roles import EVERYTHING, Capability, Role, capabilities, roles_with

State = Study.State
# Before the launch there are no scores, and after closing they are there for all.
NOT_COLLECTING = (State.DRAFT, State.CLOSED)


class NotAllowed(DomainError):
    """The person sees the study, but their role doesn't allow this."""

    status = 403
    code = "not_allowed"


def role_of(study: Study, user: Any) -> Role | None:
    """Return a person's role; one query for those who don't own the study, once for each `study` read."""
    if user is None or user.pk is None or not user.is_active:
        return None
    if study.owner_id == user.pk:
        return Role.OWNER
    known: dict[int, Role | None] = study.__dict__.setdefault("roles_read", {})
    if user.pk not in known:
        role = Member.objects.filter(study=study, user=user.pk, removed_at=None).values_list("role", flat=True).first()
        known[user.pk] = Role(role) if role else None
    return known[user.pk]


def shared(user: Any) -> dict[int, Role]:
    """Return {study: role} of the studies that others share with this person; none for a superuser, who sees all."""
    if user.pk is None or user.is_superuser:
        return {}
    rows = Member.objects.filter(user=user.pk, removed_at=None).values_list("study_id", "role")
    return {study: Role(role) for study, role in rows}


def label(role: Role) -> str:
    """Return a role that was given, in words."""
    return str(GivenRole(role.value).label)


def allowed(study: Study, user: Any) -> frozenset[Capability]:
    """Return all that this person may do in the study now."""
    if user is not None and user.is_active and user.is_superuser:
        return EVERYTHING
    return capabilities(role_of(study, user), is_collecting=study.state not in NOT_COLLECTING)


def may(study: Study, user: Any, capability: Capability) -> bool:
    """Return whether this person may do this in the study now."""
    return capability in allowed(study, user)


def need(study: Study, user: Any, capability: Capability) -> None:
    """Raise `NotAllowed` unless this person may do this in the study now."""
    if not may(study, user, capability):
        raise NotAllowed(_("Your role in this study does not allow this. Ask the study’s owner."))


def visible(user: Any, capability: Capability | None = None) -> QuerySet[Study]:
    """Return the studies that are a person's own or shared with them; all for a superuser.

    With a capability, those where they have it now.
    """
    if user.pk is None:
        return Study.objects.none()
    if user.is_superuser:
        return Study.objects.all()
    mine = Member.objects.filter(user=user.pk, removed_at=None)
    if capability is None:
        return Study.objects.filter(Q(owner=user.pk) | Q(pk__in=mine.values("study")))
    always = mine.filter(role__in=roles_with(capability, is_collecting=True)).values("study")
    later = mine.filter(role__in=roles_with(capability, is_collecting=False)).values("study")
    return Study.objects.filter(Q(owner=user.pk) | Q(pk__in=always) | Q(pk__in=later, state__in=NOT_COLLECTING))
