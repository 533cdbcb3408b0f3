"""What the home page says of a person's studies: the work that waits, who rates now, the first scores, the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analysis.data import hiding
from analysis.data.groups import HUMAN
from analysis.live import scores_page, stored
from analysis.live.result import Figures
from core import clock
from core.operations import health
from raters.experts import review_overview
from raters.payments import submissions
from raters.rating import monitor, places
from studies.corpus import queries as corpus
from studies.decisions import desk
from studies.definition import presets
from studies.drafting import queries as drafting
from studies.imports import requests
from studies.launch import duplicating
from studies.members import access
from studies.rules.roles import Capability
from workspace import activity, keeping
from workspace.frame import NextStep, next_step

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.models import Study

# Studies that collect come first, then those to finish.
ORDER = ("live", "pilot", "paused", "draft", "closed")
ARCHIVED = "archived"
# {filter: its label, and the states that it shows; None: all}
FILTERS: dict[str, tuple[Words, tuple[str, ...] | None]] = {
    "": (gettext_lazy("All"), None),
    "draft": (gettext_lazy("Drafts"), ("draft", "pilot")),
    "collecting": (gettext_lazy("Collecting"), ("live", "paused")),
    "closed": (gettext_lazy("Closed"), ("closed",)),
    ARCHIVED: (gettext_lazy("Archived"), None),
}
# From so many studies on, the page offers a search.
MANY = 8


@dataclass(frozen=True, slots=True)
class Progress:
    """Usable ratings up to those wanted, ratings wanted, and sessions of real raters."""

    filled: int = 0
    wanted: int = 0
    sessions: int = 0
    # Sessions of simulated raters, and test runs; 0 once a real rater has come.
    simulated: int = 0
    test_runs: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """Something in a study that waits for this person, and where to do it."""

    sentence: str
    study: str
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Collecting:
    """How many studies are live, and how many raters were shown or answered a clip in the last minutes."""

    studies: int
    active: int


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study on the home page; `role` is empty for one's own, `progress` None before its first figures."""

    study: Study
    preset: str
    role: str
    progress: Progress | None
    # The highest score of a system, and how human speech scored; empty while hidden or not computed yet.
    scores: tuple[str, ...]
    next_step: NextStep
    # The last activity, in words.
    active: str
    may_duplicate: bool


@dataclass(frozen=True, slots=True)
class StateFilter:
    """A filter of the list of studies, with the number of studies that it shows."""

    name: str
    label: str
    number: int
    is_here: bool


def studies_of(user: Any, *, archived: bool = False) -> list[Study]:
    """Return the studies that this person may see: the archived ones, or the others."""
    studies = access.visible(user).filter(pilot_of=None, archived_at__isnull=not archived)
    return sorted(studies, key=lambda study: (ORDER.index(study.state), -study.pk))


def shown(studies: Sequence[Study], chosen: str, search: str) -> list[Study]:
    """Return the studies of a filter's states with these words in title or address."""
    states, words = FILTERS[chosen][1], search.casefold().split()
    return [
        study
        for study in studies
        if (states is None or study.state in states)
        and all(word in f"{study.title} {study.slug}".casefold() for word in words)
    ]


def filters(studies: Sequence[Study], archived: Sequence[Study], chosen: str) -> list[StateFilter]:
    """Return the filters that show something, and the chosen one."""
    numbers = {name: len(shown(archived if name == ARCHIVED else studies, name, "")) for name in FILTERS}
    return [
        StateFilter(name, str(label), numbers[name], name == chosen)
        for name, (label, _states) in FILTERS.items()
        if numbers[name] or name in {"", chosen}
    ]


def rows(studies: Sequence[Study], user: Any, figures: Mapping[int, Figures]) -> list[StudyRow]:
    """Return a row for each study, with its progress, first scores and next step."""
    roles, last = access.shared(user), activity.last_of(studies)
    return [
        StudyRow(
            study,
            _(presets.get(study.draft["preset"]).label),
            access.label(roles[study.pk]) if study.pk in roles else "",
            progress(study, figures.get(study.pk)),
            first_scores(study, user, figures.get(study.pk)),
            next_step(study, user),
            activity.in_words(last[study.pk], clock.now()),
            keeping.may_duplicate(study, user),
        )
        for study in studies
    ]


def progress(study: Study, figures: Figures | None) -> Progress | None:
    """Return the progress by a study's figures, or only the simulated raters and test runs."""
    if not (figures and figures.people.arrived) and (not_counted := _not_counted(study)):
        return not_counted
    if figures is None:
        return None
    return Progress(figures.coverage.filled, figures.coverage.wanted, figures.people.arrived)


def _not_counted(study: Study) -> Progress | None:
    if study.launched_at is None or monitor.sessions_of(study.pk, False).exists():
        return None
    counts = monitor.not_counted(study.pk)
    return (
        Progress(simulated=counts["simulated_sessions"], test_runs=counts["test_runs"])
        if any(counts.values())
        else None
    )


def first_scores(study: Study, user: Any, figures: Figures | None) -> tuple[str, ...]:
    """Return the best system's score with its interval, and that of human speech, for those who may see scores.

    A study that hides its scores shows none here until it is closed, also to those who opened them: opening the home
    page must not count as looking at them.
    """
    if figures is None or hiding.is_hiding(study) or hiding.is_withheld(study, user):
        return ()
    axis = scores_page.axis_of(figures)
    # A score without an interval, of too few ratings, says nothing yet.
    rows = [row for row in figures.scores.get("system", ()) if row.low is not None]
    named = [(row, f"{scores_page.group_name(row, 'system')} {axis.show(row.mean)}") for row in rows]
    systems = [f"{score} [{axis.interval(row.low, row.high)}]" for row, score in named if not row.kind]
    human = [score for row, score in named if row.kind == HUMAN]
    return (*systems[:1], *human[:1])


def origin_of(study: Study, user: Any) -> Study | None:
    """Return the study that this one was copied from, if it exists and this person may see it."""
    origin = duplicating.origin_of(study)
    return origin if origin is not None and access.allowed(origin, user) else None


def tasks(studies: Sequence[Study], user: Any) -> list[Task]:
    """Return what waits for this person: full studies, submissions, disputes, experts' work, drafts, failed imports."""
    payable = [study for study in studies if access.may(study, user, Capability.SEE_PAYMENTS)]
    waiting = submissions.awaiting_review([study.pk for study in payable])
    failed = requests.failed([study.pk for study in studies if study.is_draft])
    live = [
        study for study in studies if study.state == study.State.LIVE and access.may(study, user, Capability.SEE_STUDY)
    ]
    full = places.full([study.pk for study in live])
    return [
        *(_full(study) for study in live if study.pk in full),
        *(_submissions(study, waiting[study.pk]) for study in payable if study.pk in waiting),
        *(_disputed(study, number) for study, number in _disputes(studies, user)),
        *(task for study in studies for task in _desk(study, user)),
        *_drafts(studies, user),
        *(_import(study) for study in studies if study.pk in failed),
    ]


def collecting(studies: Sequence[Study], figures: Mapping[int, Figures]) -> Collecting:
    """Return how many studies and pilots are live, and how many raters are at work by the figures last computed."""
    live = [study.pk for study in studies if study.state == study.State.LIVE]
    return Collecting(len(live), sum(figures[pk].active for pk in live if pk in figures))


def failing_parts() -> list[str]:
    """Return the names of the server's parts that don't work, with the same rule for workers as *System status*."""
    failing = [name for name, works in health.parts().items() if not works]
    return [*failing, "worker"] if "worker" not in failing and health.is_worker_silent() else failing


def read_figures(studies: Sequence[Study]) -> dict[int, Figures]:
    """Return {study: figures of its real raters as last computed}; one SELECT."""
    return stored.figures_of([study.pk for study in studies if study.launched_at is not None])


def _disputes(studies: Sequence[Study], user: Any) -> list[tuple[Study, int]]:
    reviewed = [study for study in studies if study.launched_at is not None and study.definition.review.mode != "off"]
    return [
        (study, number)
        for study in reviewed
        if access.may(study, user, Capability.SEE_SCORES)
        and (number := review_overview.disputed(study.pk, study.definition.review))
    ]


def _drafts(studies: Sequence[Study], user: Any) -> list[Task]:
    """Return the texts and questions of drafts of studies that this person may review."""
    drafts = {
        study.pk: study
        for study in studies
        if study.is_draft and study.pilot_of_id is None and access.may(study, user, Capability.CHANGE_STUDY)
    }
    texts, questions = corpus.waiting(drafts, user.pk), drafting.waiting_in(drafts, user.pk)
    return [
        *(task for pk, waiting in texts.items() for task in _texts(drafts[pk], waiting)),
        *(_questions(drafts[pk], number) for pk, number in questions.items()),
    ]


def _texts(study: Study, waiting: corpus.Waiting) -> Iterator[Task]:
    url = reverse("studies:texts", args=[study.slug])
    if waiting.drafts:
        sentence = ngettext("{number} text to review", "{number} texts to review", waiting.drafts)
        yield Task(sentence.format(number=waiting.drafts), str(study), _("Review texts"), f"{url}?state=draft#review")
    if waiting.to_check:
        sentence = ngettext("{number} text to cross-check", "{number} texts to cross-check", waiting.to_check)
        label = _("Cross-check texts")
        yield Task(sentence.format(number=waiting.to_check), str(study), label, f"{url}?state=accepted#review")


def _questions(study: Study, number: int) -> Task:
    sentence = ngettext("{number} drafted question to inspect", "{number} drafted questions to inspect", number)
    url = reverse("drafting:inspect", args=[study.slug])
    return Task(sentence.format(number=number), str(study), _("Inspect questions"), url)


def _full(study: Study) -> Task:
    url = reverse("workspace:live", args=[study.slug])
    return Task(_("The study is full"), str(study), _("Close it, or pause recruiting at the platform"), url)


def _submissions(study: Study, number: int) -> Task:
    sentence = ngettext("{number} submission to review", "{number} submissions to review", number)
    url = reverse("paying:overview", args=[study.slug])
    return Task(sentence.format(number=number), str(study), _("Open payments"), url)


def _disputed(study: Study, number: int) -> Task:
    sentence = ngettext("{number} reason disputed by experts", "{number} reasons disputed by experts", number)
    url = reverse("experts:review_overview", args=[study.slug])
    return Task(sentence.format(number=number), str(study), _("Open the review"), url)


def _desk(study: Study, user: Any) -> Iterator[Task]:
    for work in desk.waiting_for(study, user):
        more = _("More than {number} to do under “{work}”")
        sentence = more if work.is_more else _("{number} to do under “{work}”")
        yield Task(sentence.format(work=work.title, number=work.number), str(study), _("Open the desk"), work.url)


def _import(study: Study) -> Task:
    url = reverse("studies:clips", args=[study.slug])
    return Task(_("An import of clips failed"), study.title, _("Open clips"), url)
