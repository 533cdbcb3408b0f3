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
    """A page that a higher app offers; of some, every page of a study has a tab."""

    label: str
    url: str
    url_name: str
    is_tab: bool


def links_of(study: Study, request: HttpRequest, links: Iterable[hooks.StudyLink]) -> list[Link]:
    """Return the pages that this user may open, lowest order first."""
    may = access.allowed(study, request.user)
    return [
        Link(str(link.label), reverse(link.url_name, args=[study.slug]), link.url_name, link.is_tab)
        for link in sorted(links, key=lambda link: link.order)
        if link.needs in may and (not link.permission or request.user.has_perm(link.permission))
    ]
