"""The pages of higher apps and jobs about a study, for those who may open them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse

from studies import hooks
from studies.members import access

if TYPE_CHECKING:
    from django.http import HttpRequest

    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class Link:
    """A page that a higher app offers; `tab` names the tab that lists it."""

    label: str
    url: str
    url_name: str
    tab: str
    covers: tuple[str, ...]


def links_of(study: Study, request: HttpRequest, links: Iterable[hooks.StudyLink]) -> list[Link]:
    """Return the pages that this user may open, lowest order first."""
    may, unused = access.allowed(study, request.user), study.definition.kind.unused_settings()
    return [
        Link(str(link.label), reverse(link.url_name, args=[study.slug]), link.url_name, link.tab, link.covers)
        for link in sorted(links, key=lambda link: link.order)
        if link.settings not in unused
        and link.needs in may
        and (not link.permission or request.user.has_perm(link.permission))
    ]
