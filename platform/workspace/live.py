"""What the Live page shows next to the stored figures: exclusions, alarms, drop-out, pay and a forecast."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from core import clock
from core.text.numbers import whole
from raters.payments import pay
from raters.rating import dropout, exclusions, monitor
from raters.rating.rule_names import rule_name
from raters.rating.rules import alarms, forecast
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from analysis.live.result import Figures
    from studies.definition.models import Study

# The pay of an hour is that of so many people who finished last, and the pace that of so many days.
FINISHED = 200
PACE = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class Bar:
    """A count of `of`; `note` says more about it than its share does."""

    label: str
    count: int
    of: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Excluded:
    """The newest finished batches: how many each rule took, and which rule took nearly all of them suddenly."""

    finished: int
    bars: list[Bar]
    alarms: list[str]


@dataclass(frozen=True, slots=True)
class Money:
    """The pay for an hour so far, and the people that it was computed from; empty where it isn't known."""

    hour: str
    people: int
    is_below: bool
    least: str
    # Whether a pay is set under Design; figures of earlier releases lack it.
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class Remaining:
    """The usable ratings that are still wanted, those of the last days, and when the last of them comes in."""

    left: int
    recent: int
    days: int
    ready: datetime | None


@dataclass(frozen=True, slots=True)
class Collected:
    """What the page reads of all sessions; `recent` are the usable ratings of the last days."""

    excluded: Excluded
    dropped: list[Bar]
    money: Money
    recent: int


def collected(study: Study, choice: str) -> Collected:
    """Read all sessions."""
    recent = monitor.usable_since(study.pk, clock.now() - PACE)
    return Collected(excluded(study.pk), dropped(study.pk), money(study), recent)


COLLECTED = SummaryKind("collected", Collected, collected, lambda study: monitor.sessions_of(study.pk, False))


def dropped(study_id: int) -> list[Bar]:
    """Return how many real raters got past each page, and how many got no further."""
    labels = {
        "arrived": _("opened the study"),
        "information": _("agreed to take part"),
        "checks": _("passed the first checks"),
        "instructions": _("read the instructions and started"),
        "first_clip": _("answered the first clip"),
        "clips": _("finished their clips"),
        "questions": _("finished all questions"),
    }
    past = dropout.past_each_page(study_id)
    stopped = [max(0, here - beyond) for here, beyond in pairwise(past.values())]
    notes = [_("{n} got no further until now").format(n=whole(number)) if number else "" for number in stopped]
    return [
        Bar(labels[name], number, past["arrived"], note)
        for (name, number), note in zip(past.items(), [*notes, ""], strict=True)
    ]


def money(study: Study) -> Money:
    """Return the pay for an hour of those who finished last, as the study's settings make it."""
    settings = study.definition.payment
    paid = pay.hourly(settings, pay.newest_complete(study.pk, FINISHED).values())
    least = settings.hourly_least
    return Money(
        hour="" if paid.hour is None else f"{paid.hour} {settings.currency}",
        people=paid.people,
        is_below=paid.hour is not None and least is not None and paid.hour < least,
        least="" if least is None else f"{least:.2f} {settings.currency}",
        is_set=settings.rate is not None,
    )


def remaining(study: Study, figures: Figures, recent: int, now: datetime) -> Remaining:
    """Return what is left to collect, and when it will be there at the pace of the last days."""
    left = max(0, figures.coverage.wanted - figures.coverage.filled)
    during = PACE if study.launched_at is None else min(PACE, now - study.launched_at)
    ready = forecast.ready_at(left=left, recent=recent, during=during, now=now)
    # A paused study has no pace.
    is_collecting = study.state == study.State.LIVE
    return Remaining(left, recent, PACE.days, ready if is_collecting else None)


def excluded(study_id: int) -> Excluded:
    """Return how many of the newest finished batches each rule took."""
    by_rule = exclusions.taken_by_rule(study_id)
    taken_at_all = by_rule.pop("")
    finished = len(taken_at_all)
    rows = [(rule_name(rule), sum(taken)) for rule, taken in by_rule.items()]
    rows = [(_("not excluded by any rule"), finished - sum(taken_at_all)), *rows]
    return Excluded(
        finished,
        [Bar(label, number, finished) for label, number in rows],
        [
            _alarm(rule_name(rule), found)
            for rule, taken in by_rule.items()
            if (found := alarms.sudden(taken)) is not None
        ],
    )


def _alarm(rule: str, found: alarms.Sudden) -> str:
    text = _(
        "The rule “{rule}” excluded {taken} of the last {of} finished batches, but only {earlier} of the {before} "
        "before them. Something changed: pause the study, then check the newest version, the clips that were added "
        "last, and where the new raters come from."
    )
    return text.format(
        rule=rule,
        taken=whole(found.taken),
        of=whole(found.of),
        earlier=whole(found.taken_before),
        before=whole(found.before),
    )
