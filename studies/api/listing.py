"""Lists of studies, clips and imports for reading page by page, newest first or by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from core.errors import NotFound
from studies.clips.models import Clip, ClipImport
from studies.definition.models import Study, StudyVersion
from studies.members import access
from studies.rules.roles import Capability

# {name in a query: column}
CLIP_FILTERS = {
    "file": "file",
    "system": "system__name",
    "role": "role",
    "voice": "voice",
    "text_id": "text__name",
    "dimension": "dimension",
    "language": "language",
    "box": "box",
    "benchmark": "benchmark",
    "condition": "condition",
    "domain": "domain",
}


def own(user: Any, slug: str, needs: Capability = Capability.SEE_STUDY) -> Study:
    """Return a study where this person has a capability.

    Raise `NotFound` for others' studies, as for missing ones, and `NotAllowed` where their role doesn't allow it.
    """
    study = access.visible(user).filter(slug=slug).first()
    if study is None:
        raise NotFound(_("There is no study “{slug}”.").format(slug=slug))
    access.need(study, user, needs)
    return study


def studies(user: Any, *, after: int | None, limit: int, state: str = "", archived: bool = False) -> Sequence[Study]:
    """Return the studies that this person may see without their pilots, newest first: the archived ones, or others."""
    rows = access.visible(user).filter(pilot_of=None, archived_at__isnull=not archived).order_by("-pk")
    rows = rows.filter(state=state) if state else rows
    return list(rows.filter(pk__lt=after)[:limit] if after is not None else rows[:limit])


def version(study: Study, number: int) -> StudyVersion:
    """Return one version; raises `NotFound`."""
    result = StudyVersion.objects.filter(study=study, number=number).first()
    if result is None:
        raise NotFound(_("The study has no version {number}.").format(number=number))
    return result


def clips(
    study: Study, filters: Mapping[str, str], *, withdrawn: bool | None, after: int | None, limit: int
) -> Sequence[Clip]:
    """Return clips in the order they were added; `filters` are by `CLIP_FILTERS`."""
    rows = _clips(study).filter(**{CLIP_FILTERS[name]: value for name, value in filters.items()})
    if withdrawn is not None:
        rows = rows.filter(withdrawn_at__isnull=not withdrawn)
    return list((rows.filter(pk__gt=after) if after is not None else rows)[:limit])


def clip(study: Study, pk: int) -> Clip:
    """Return one clip of this study; raises `NotFound`."""
    result = _clips(study).filter(pk=pk).first()
    if result is None:
        raise NotFound(_("The study has no such clip."))
    return result


def imports(study: Study, *, after: int | None, limit: int) -> Sequence[ClipImport]:
    """Return imports without their reports, newest first."""
    rows = ClipImport.objects.filter(study=study).defer("report").order_by("-pk")
    return list((rows.filter(pk__lt=after) if after is not None else rows)[:limit])


def clip_import(study: Study, pk: int) -> ClipImport:
    """Return one import of this study; raises `NotFound`."""
    result = ClipImport.objects.filter(study=study, pk=pk).first()
    if result is None:
        raise NotFound(_("The study has no such import."))
    return result


def _clips(study: Study) -> QuerySet[Clip]:
    return Clip.objects.filter(study=study).select_related("system", "text").order_by("pk")
