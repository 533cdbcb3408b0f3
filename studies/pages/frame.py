"""What a study's pages say of it: its version, the steps to its launch and links of higher apps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from studies import hooks
from studies.audit import measuring
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.launch.states import has_changes
from studies.members import access


@dataclass(frozen=True, slots=True)
class StudyStep:
    """One step on the way to the launch."""

    label: str
    url: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class Link:
    """A page that a higher app offers; of some, every page of a study has a tab."""

    label: str
    url: str
    is_tab: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """A rendered panel of a higher app."""

    title: str
    body: SafeString


def page(name: str, *args: Any) -> str:
    """Return the address of one of the study's own admin pages."""
    return reverse(f"admin:studies_study_{name}", args=args)


def design_url(study: Study, setting: str = "") -> str:
    """Return the address of the page Design, at a dotted setting if one is named."""
    return reverse("workspace:design", args=[study.slug]) + (f"#{setting}" if setting else "")


def links_of(study: Study, request: HttpRequest, links: Iterable[hooks.StudyLink]) -> list[Link]:
    """Return the pages that this user may open, lowest order first."""
    may = access.allowed(study, request.user)
    return [
        Link(str(link.label), reverse(link.url_name, args=[study.slug]), link.is_tab)
        for link in sorted(links, key=lambda link: link.order)
        if link.needs in may and (not link.permission or request.user.has_perm(link.permission))
    ]


def panels_of(study: Study) -> list[Panel]:
    """Render the panels of higher apps, lowest order first."""
    panels = sorted(hooks.study_panels, key=lambda panel: panel.order)
    return [Panel(str(panel.title), mark_safe(panel.render(study))) for panel in panels]  # noqa: S308


def steps(study: Study) -> list[StudyStep]:
    """Return the steps to the launch, and which of them are done."""
    has_clips = study.clips.filter(withdrawn_at=None).exists()
    return [
        StudyStep(_("Design"), design_url(study), True),
        StudyStep(_("Clips"), page("clips", study.pk), has_clips),
        StudyStep(_("Audit"), page("audit", study.pk), measuring.is_done(study)),
        StudyStep(_("Check & launch"), page("launch", study.pk), study.launched_at is not None),
    ]


def frame(study: Study, request: HttpRequest) -> dict[str, Any]:
    """Return the template context that the pages of a study share."""
    version = newest(study)
    links = [link for link in links_of(study, request, hooks.study_links) if not link.is_tab]
    return {
        "study": study,
        "links": links if version is not None else [],
        "actions": links_of(study, request, hooks.study_actions),
        "version": version,
        "is_changed": version is not None and has_changes(study, version),
    }
