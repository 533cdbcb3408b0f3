"""The pages of a study: tabs in the order of the work, and the pages below each tab."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from studies import hooks
from studies.clips import figures
from studies.members import access
from studies.members.links import links_of
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class Page:
    """A page below a tab; pages whose view names start with one of `covers` belong to it."""

    label: Words
    url_name: str
    covers: tuple[str, ...] = ()
    # Whether only studies have it whose task asks questions about passages.
    with_questions: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A tab of a study, for people whose role has one of these capabilities."""

    name: str
    label: Words
    url_name: str
    needs: tuple[Capability, ...]
    group: Words = ""
    pages: tuple[Page, ...] = ()


SET_UP, COLLECT, USE = _("Set up"), _("Collect"), _("Use")
SEEING = (Capability.SEE_STUDY,)
SECTIONS = (
    Section("overview", _("Overview"), "workspace:overview", tuple(Capability)),
    Section("design", _("Design"), "studies:design", SEEING, SET_UP, (Page(_("Design"), "studies:design"),)),
    Section(
        "clips",
        _("Clips"),
        "studies:clips",
        SEEING,
        SET_UP,
        (
            Page(_("Clips"), "studies:clips", ("studies:clip", "studies:import")),
            Page(_("Texts"), "studies:texts", ("drafting:",)),
            Page(_("Questions"), "studies:questions", with_questions=True),
            Page(_("Audit"), "studies:audit", ("studies:repair",)),
            # Other studies draft texts from the page Texts.
            Page(_("Drafts"), "drafting:home", ("drafting:",), with_questions=True),
        ),
    ),
    Section(
        "launch",
        _("Check & launch"),
        "studies:launch",
        SEEING,
        SET_UP,
        (Page(_("Check & launch"), "studies:launch"), Page(_("Dry run"), "previews:dry_run")),
    ),
    Section("recruit", _("Recruit"), "workspace:recruit", SEEING, COLLECT),
    Section("live", _("Live"), "workspace:live", SEEING, COLLECT),
    Section("payments", _("Payments"), "paying:overview", (Capability.SEE_PAYMENTS,), COLLECT),
    Section(
        "results",
        _("Results"),
        "analysis:study",
        SEEING,
        USE,
        (
            Page(_("Scores"), "analysis:study"),
            Page(_("Analyses"), "analysis:analyses", ("analysis:analys",)),
            Page(_("Metrics vs. listeners"), "analysis:machines", ("analysis:metric",)),
        ),
    ),
    Section("export", _("Export"), "analysis:export", (Capability.EXPORT,), USE),
    Section(
        "settings",
        _("Settings"),
        "studies:settings",
        SEEING,
        pages=(
            Page(_("About the study"), "studies:settings"),
            Page(_("Languages"), "studies:languages"),
            Page(_("Experts"), "studies:experts"),
            Page(_("Members"), "studies:members"),
            Page(_("Duplicate"), "workspace:duplicate"),
            Page(_("Archive, delete"), "workspace:keep"),
            Page(_("History"), "studies:history"),
        ),
    ),
)
# A pilot is changed through its study.
CHANGING = {"design", "clips", "launch", "settings"}


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab, or a page below it, as one person sees it on one page."""

    label: str
    url: str
    is_here: bool
    # A number next to the label, such as of clips; "" for none.
    count: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Tabs of one part of the work; the first and the last have no label."""

    label: str
    tabs: list[Tab]


def sections(study: Study, user: Any) -> list[Section]:
    """Return the tabs that this person may open; a pilot has none to change it."""
    may = access.allowed(study, user)
    return [
        section
        for section in SECTIONS
        if not may.isdisjoint(section.needs) and (study.pilot_of_id is None or section.name not in CHANGING)
    ]


def groups(study: Study, user: Any, here: str) -> list[Group]:
    """Return the tabs of a page by parts of the work, that of the page itself marked, with the number of clips."""
    clips = str(figures.total(study.pk) or "")
    tabs = [
        Tab(
            str(section.label),
            reverse(section.url_name, args=[study.slug]),
            section.name == here,
            clips if section.name == "clips" else "",
            str(section.group),
        )
        for section in sections(study, user)
    ]
    return [Group(label, list(group)) for label, group in groupby(tabs, key=lambda tab: tab.group)]


def below(study: Study, request: HttpRequest, here: str) -> list[Tab]:
    """Return the pages below the tab `here`, that of the request marked; none if there is only one."""
    section = next((section for section in sections(study, request.user) if section.name == here), None)
    if section is None:
        return []
    match = request.resolver_match
    pages = list(_pages(study, request, section))
    current = [page for page in pages if match and _covers(page, match.view_name)][-1:]
    below = [Tab(str(page.label), reverse(page.url_name, args=[study.slug]), page in current) for page in pages]
    return below if len(below) > 1 else []


def _pages(study: Study, request: HttpRequest, section: Section) -> Iterator[Page]:
    asks = study.definition.kind.asks
    yield from (page for page in section.pages if asks or not page.with_questions)
    for link in links_of(study, request, hooks.study_links):
        if link.tab == section.name:
            yield Page(link.label, link.url_name, link.covers)


def _covers(page: Page, view_name: str) -> bool:
    return view_name.startswith((page.url_name, *page.covers))
