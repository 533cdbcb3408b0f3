"""Find studies, and who may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from core.errors import NotFound
from studies.models import Clip, Study, StudyVersion

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from accounts.models import User


def get(slug: str) -> Study:
    """Return the study of this slug; raises `NotFound`."""
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist:
        raise NotFound(_("There is no study “{slug}”.").format(slug=slug)) from None


def visible_to(user: User | AnonymousUser) -> QuerySet[Study]:
    """Return the studies this user may see: all for a superuser, their own for staff, none for others."""
    if not user.is_active or not user.is_staff:
        return Study.objects.none()
    return Study.objects.all() if user.is_superuser else Study.objects.filter(owner_id=user.pk)


def for_user(user: User | AnonymousUser, slug: str) -> Study:
    """Return the study of this slug if the user may see it; the same refusal whether it is missing or another's."""
    try:
        return visible_to(user).get(slug=slug)
    except Study.DoesNotExist:
        raise NotFound(_("There is no study “{slug}”, or it isn't yours.").format(slug=slug)) from None


def newest(study: Study) -> StudyVersion | None:
    """Return the version that new sessions meet; None before launch."""
    return StudyVersion.objects.filter(study=study).order_by("-number").first()


def clip_counts(study: Study) -> dict[str, dict[str, int]]:
    """Return {system: {role: clips}}, withdrawn clips left out, both in alphabetical order."""
    counts: dict[str, dict[str, int]] = {}
    rows = Clip.objects.filter(study=study, withdrawn_at=None).order_by("system__name", "role")
    for system, role, number in rows.values_list("system__name", "role").annotate(number=Count("pk")):
        counts.setdefault(system, {})[role] = number
    return counts
