"""Find studies, and who may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from core.errors import NotFound
from studies.models import Study, StudyVersion

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
    return study.versions.order_by("-number").first()
