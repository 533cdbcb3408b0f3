"""What higher apps and jobs add to a study from `ready()`: checks before launch, links, panels, crowd sources.

What apps add to the server is in `core.hooks`, what they add to a rater's session in `raters.rating.hooks`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from core.registry import Registry
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.models import Study

Level = Literal["blocking", "warning", "note"]


@dataclass(frozen=True, slots=True)
class LaunchFinding:
    """One thing to know before a launch; a blocking one prevents it.

    `place` names the study's page that fixes it, as in `studies.launch.launch_list`, or is the URL name of a page of a
    higher app, reversed with the study's slug. `anchor` is a place on it. `setting` is the dotted setting that fixes
    it, on the page Design; `value` is a number for this setting that fixes it. `examples` are the sentences that the
    message sums up. `for_admins` says what administrators do.
    """

    level: Level
    message: str
    place: str = ""
    setting: str = ""
    anchor: str = ""
    examples: tuple[str, ...] = ()
    value: int | None = None
    for_admins: str = ""


@dataclass(frozen=True, slots=True)
class StudyLink:
    """A page about a study, reversed with its slug, for people whose role in the study has a capability.

    The lowest order comes first. `tab` names the tab of the study's frame that lists the page; "" is a page with a
    tab of its own, or a link next to something else. Views whose names start with one of `covers` belong to the page.
    """

    label: Words
    url_name: str
    permission: str = ""
    needs: Capability = Capability.SEE_STUDY
    order: int = 100
    tab: str = ""
    covers: tuple[str, ...] = ()
    # Group of settings that the page is about: task types without them have no such page.
    settings: str = ""


@dataclass(frozen=True, slots=True)
class WorkspacePages:
    """The URL names of pages of a higher app that pages here lead to; those of a study are reversed with its slug."""

    home: str
    overview: str
    recruit: str


@dataclass(frozen=True, slots=True)
class StudyPanel:
    """A section of the study's launch page; `render` returns safe HTML, "" for no section."""

    title: Words
    render: Callable[[Study], str]
    order: int = 100
    # Whether it is about the draft: it leaves the page after the launch.
    of_draft: bool = False
    # Whether it is about raters who come: it is on the page only after the launch.
    of_launched: bool = False
    # Before the launch, panels are optional and folded, except those that are in use.
    is_used: Callable[[Study], bool] = lambda study: False
    # What an optional one is for, in a phrase beside its title.
    purpose: Words = ""


@dataclass(frozen=True, slots=True)
class CrowdSource:
    """A source of raters that a study may name in its settings."""

    name: str
    label: Words
    # Whether raters enter a completion code there.
    codes: bool = True
    # Usual fee in percent of pay and bonus, without VAT; None: unknown.
    fee_percent: float | None = None
    # The platform's return URL; "" if it has none.
    return_url: str = ""
    # Whether Earshot pays its raters.
    pays: bool = False
    # Whether it knows a person again in another study.
    knows_people: bool = True
    # Whether the platform has closed: forms offer it only to studies that have it.
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class ErasureHook:
    """Deletes what an app derived from answers that are being erased.

    `rows` (study, rater, moment) runs in the transaction that deletes the answers. `files` (study) runs after it, and
    again if it was interrupted.
    """

    rows: Callable[[int, int, datetime], object]
    files: Callable[[int], object]


class Turn(TypedDict):
    """What one speaker says in a dialogue."""

    speaker: str
    text: str


class SpokenContext(TypedDict):
    """How a text is spoken and the dialogue before it, as `studies.clips.models.Text` stores it."""

    style: str
    turns: list[Turn]
    language: str


@dataclass(frozen=True, slots=True)
class TextFacts:
    """What a clip gets from the text of its name, where its manifest says nothing else.

    `context` is what raters may be shown with it.
    """

    body: str
    dimension: str = ""
    language: str = ""
    box: str = ""
    context: SpokenContext | None = None


# Called in the transaction that adds, converts, withdraws, restores or deletes clips.
ClipsChanged = Callable[["Study", datetime], object]
LaunchCheck = Callable[["Study"], Iterable[LaunchFinding]]

# {name: facts} of a study's texts by these names, or of all.
TextLookup = Callable[[int, Collection[str] | None], Mapping[str, TextFacts]]

launch_checks: Registry[LaunchCheck] = Registry()
clips_changed: Registry[ClipsChanged] = Registry()
# The page that creates a study: the admin's *Add study* is the same.
new_study_page: Registry[Callable[[HttpRequest], HttpResponseBase]] = Registry()
workspace_pages: Registry[WorkspacePages] = Registry()
study_links: Registry[StudyLink] = Registry()
study_panels: Registry[StudyPanel] = Registry()
# What is started from every page of a study, by a POST.
study_actions: Registry[StudyLink] = Registry()
# Each says whether a person may see a study's scores, which may be hidden until it closes, and records that they did.
score_gates: Registry[Callable[[Study, Any], bool]] = Registry()
crowd_sources: Registry[CrowdSource] = Registry()
erasures: Registry[ErasureHook] = Registry()
text_lookups: Registry[TextLookup] = Registry()
# {clip: why it may not be its text}, as a sentence.
text_doubts: Registry[Callable[[int], Mapping[int, str]]] = Registry()
# Links on the page of texts that higher jobs offer, such as drafting them with a model.
text_links: Registry[StudyLink] = Registry()
# Each finds the request to a model that wrote a text, for the text's history; None where a person wrote it.
text_drafts: Registry[Callable[[int], object | None]] = Registry()
# Links next to what the settings of Design ask of raters.
design_links: Registry[StudyLink] = Registry()
# Names of texts whose words must not leave the server in public, besides those of black-box clips.
withheld_texts: Registry[Callable[[int], frozenset[str]]] = Registry()


def workspace() -> WorkspacePages:
    """Return the pages of the workspace."""
    [pages] = workspace_pages
    return pages


def tell_clips_changed(study: Study, now: datetime) -> None:
    """Tell every job that a study's clips changed."""
    for listener in clips_changed:
        listener(study, now)


def text_facts(study_id: int, names: Collection[str] | None = None) -> dict[str, TextFacts]:
    """Return what is known of a study's texts before any clip speaks them."""
    facts: dict[str, TextFacts] = {}
    for lookup in text_lookups:
        facts |= lookup(study_id, names)
    return facts


def withheld(study_id: int) -> frozenset[str]:
    """Return the names of texts whose words must not leave the server in public, whatever their clips say."""
    return frozenset().union(*(names(study_id) for names in withheld_texts))
