"""Queries on studies and versions, for researchers' pages and exports."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from core.errors import NotFound
from studies.definition.definition import Definition
from studies.definition.models import Study, StudyVersion


def get(slug: str) -> Study:
    """Return the study of this slug; raises `NotFound`."""
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist:
        raise NotFound(_("There is no study “{slug}”.").format(slug=slug)) from None


def listed(*, archived: bool = False) -> list[Study]:
    """Return the archived studies, or the others, newest first; pilots are part of their study."""
    return list(Study.objects.filter(pilot_of=None, archived_at__isnull=not archived).order_by("-pk"))


def newest(study: Study) -> StudyVersion | None:
    """Return the version that new sessions meet; None before launch."""
    return StudyVersion.objects.filter(study=study).order_by("-number").first()


def study(slug: str) -> Study:
    """Return a study with its secret and owner; raises `NotFound`."""
    result = Study.objects.filter(slug=slug).first()
    if result is None:
        raise no_study()
    return result


def no_study() -> NotFound:
    """Return the error for a missing study, and for others' studies: nobody learns that these exist."""
    return NotFound("There is no study at this address.")


def study_of(pk: int) -> Study:
    """Return a study by its key, which a row names: a copy, too."""
    return Study.with_previews.get(pk=pk)


def versions(study_id: int) -> Sequence[StudyVersion]:
    """Return the versions in order."""
    return list(StudyVersion.objects.filter(study_id=study_id).order_by("number"))


def definition(study: Study) -> Definition:
    """Return the current definition: the newest version, or the draft before the launch."""
    newest = StudyVersion.objects.filter(study=study).order_by("-number").first()
    return Definition.model_validate(newest.definition) if newest else study.definition


def unknown(slugs: Sequence[str]) -> list[str]:
    """Return those of these names that no study has."""
    known = set(Study.objects.filter(slug__in=slugs).values_list("slug", flat=True)) if slugs else set()
    return [slug for slug in slugs if slug not in known]
