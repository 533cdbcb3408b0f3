"""Find studies, their versions and what they hold."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.errors import NotFound
from studies.models import Study, StudyVersion


def get(slug: str) -> Study:
    """Return the study of this slug; raises `NotFound`."""
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist:
        raise NotFound(_("There is no study “{slug}”.").format(slug=slug)) from None


def newest(study: Study) -> StudyVersion | None:
    """Return the version that new sessions meet; None before launch."""
    return StudyVersion.objects.filter(study=study).order_by("-number").first()
