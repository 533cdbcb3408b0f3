"""Find studies, their versions and what they hold."""

from __future__ import annotations

from django.db.models import Count
from django.utils.translation import gettext as _

from core.errors import NotFound
from studies.models import Clip, Study, StudyVersion


def get(slug: str) -> Study:
    """Return the study of this slug; raises `NotFound`."""
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist:
        raise NotFound(_("There is no study “{slug}”.").format(slug=slug)) from None


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
