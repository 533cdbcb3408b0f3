"""A study's sessions that deserve a look, with the numbers; a person decides (rule A13)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from core import clock
from core.database.paging import keys
from core.jobs import DONE
from raters.people.models import Session
from raters.rating import monitor, scored
from raters.rating.models import Batch, Rating, TrialClip
from raters.rating.rules import worth_a_look as rules
from raters.rating.rules import writing
from raters.rating.rules.worth_a_look import SessionNumbers, Sign
from studies.definition import facts
from studies.summaries import services as summaries
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study

SESSIONS = 200
# Sessions stored, those with most signs first, and sessions per page.
MOST, ON_A_PAGE = 1000, 20


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session with its signs."""

    session: int
    signs: list[Sign]


@dataclass(frozen=True, slots=True)
class WorthALook:
    """The number of a study's sessions and of those listed, and the first of these."""

    sessions: int
    number: int
    listed: list[ListedSession]


def worth_a_look(study_id: int, simulated: bool | None = False) -> WorthALook:
    """Find the sessions with signs, reading all answers in chunks of sessions."""
    others = _others(study_id, simulated)
    listed: list[ListedSession] = []
    sessions = 0
    for some in keys(monitor.sessions_of(study_id, simulated), SESSIONS):
        numbers = _numbers(some)
        sessions += len(some)
        for session in some:
            about = numbers.get(session) or SessionNumbers()
            about.other = others.get(session)
            if signs := rules.signs(about):
                listed.append(ListedSession(session, signs))
    listed.sort(key=lambda each: (-len(each.signs), -each.session))
    return WorthALook(sessions, len(listed), listed[:MOST])


LISTED = SummaryKind(
    "worth_a_look",
    WorthALook,
    lambda study, _choice: worth_a_look(study.pk),
    lambda study: Rating.objects.filter(study=study.pk),
)


def _numbers(sessions: Sequence[int]) -> dict[int, SessionNumbers]:
    """Return the numbers of the sessions that have answers; three SELECTs."""
    numbers: defaultdict[int, SessionNumbers] = defaultdict(SessionNumbers)
    for session, version, answered, served, evidence, reason, clips in _answers(sessions):
        about, protocol = numbers[session], facts.frozen(version).protocol
        about.answers += 1
        about.unreported += not rules.is_reported(evidence)
        quick = rules.is_quick([_decided(answered, evidence, clip) for clip in clips], protocol.quick_seconds)
        about.timed += quick is not None
        about.quick += bool(quick)
        if reason:
            about.reasons += 1
            seconds = scored.between(served, answered)
            about.written += rules.is_written_fast(reason, writing.of(evidence), seconds)
    ratings = Rating.objects.filter(trial__batch__session__in=sessions)
    for session, version, part, code, number in (
        ratings.order_by()
        .values_list("trial__batch__session", "trial__batch__session__version", "part", "code")
        .annotate(number=Count("pk"))
    ):
        kind = facts.frozen(version).kind
        # Correct answers to questions on a passage may all have the same code.
        if part == kind.score.part and not kind.asks:
            numbers[session].ratings[code] += number
    decided = Batch.objects.filter(session__in=sessions, state=DONE, valid__isnull=False).order_by()
    counts = decided.values_list("session").annotate(all=Count("pk"), failed=Count("pk", filter=Q(valid=False)))
    for session, batches, failed in counts:
        numbers[session].decided, numbers[session].failed = batches, failed
    return numbers


def _answers(sessions: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Yield each answer with its clips: key, duration, and time of the first play."""
    columns = ("session__version", "answered_at", "served_at", "answer__evidence", "answer__reason")
    rows = TrialClip.objects.filter(trial__batch__session__in=sessions, trial__answer__isnull=False)
    listed = rows.order_by("trial", "place").values_list(
        "trial", "trial__session", *(f"trial__{name}" for name in columns), "key", "clip__duration", "play_began_at"
    )
    for _trial, clips in groupby(listed.iterator(2000), itemgetter(0)):
        some = list(clips)
        yield (*some[0][1:7], [row[7:] for row in some])


def _decided(answered: Any, evidence: object, clip: tuple[str, float, Any]) -> float | None:
    key, seconds, began = clip
    return scored.decided(began, answered, seconds, scored.reported(scored.report(evidence, key), "since_end"))


def _others(study_id: int, simulated: bool | None) -> dict[int, int]:
    """Return {session: session of another person in the same browser}, both ways; one SELECT."""
    rows = monitor.sessions_of(study_id, simulated).filter(browser_before__isnull=False).order_by("pk")
    pairs = list(rows.values_list("pk", "browser_before"))
    return {before: pk for pk, before in pairs if before} | {pk: before for pk, before in pairs if before}


def panel(study: Study, page: str | None) -> dict[str, Any]:
    """Return the context of the panel on the Live and Payments pages, from a summary and one page of sessions."""
    shown = summaries.summary(LISTED, study, now=clock.now())
    value = shown.value
    if value is None:
        return {"look_shown": shown}
    rows = Paginator(value.listed, ON_A_PAGE).get_page(page)
    outcomes = dict(Session.objects.filter(pk__in=[each.session for each in rows]).values_list("pk", "outcome"))
    lines = [
        {"session": each.session, "outcome": Session.Outcome(outcomes[each.session]).label, "signs": in_words(each)}
        for each in rows
        if each.session in outcomes
    ]
    return {
        "look_shown": shown,
        "look": value,
        "look_page": rows,
        "look_lines": lines,
        "look_rules": rules_in_words(study.definition.protocol.quick_seconds),
        "look_unlisted": value.number - len(value.listed),
    }


def in_words(listed: ListedSession) -> list[str]:
    """Describe a session's signs in words, with the numbers."""
    texts = {
        rules.QUICK: _("{n} of {of} decisions too quick"),
        rules.NO_INPUT: _("no input reported with {n} of {of} answers"),
        rules.WRITTEN: _("{n} of {of} texts pasted or faster than typing"),
        rules.EQUAL: _("the same answer {n} times of {of}"),
        rules.BATCHES: _("{n} of {of} batches failed"),
        rules.BROWSER: _("same browser as session {n}, another person"),
    }
    return [texts[sign.name].format(n=sign.number, of=sign.of) for sign in listed.signs]


def rules_in_words(quick_seconds: float) -> list[str]:
    """Describe the limits for listing sessions."""
    half, least = f"{rules.HALF:.0%}", rules.LEAST
    return [
        _("Decisions too quick: at least {half} took less than {seconds:g} s after the clip’s end.").format(
            half=half, seconds=quick_seconds
        ),
        _(
            "No input reported: at least {half} of the answers came without the page’s counts of playback and typing."
        ).format(half=half),
        _(
            "Texts: at least {half} were pasted, came by too few keys, or faster than {fastest:g} characters a second "
            "({cjk:g} in Chinese, Japanese and Korean) since the page was shown."
        ).format(half=half, fastest=rules.FASTEST, cjk=rules.FASTEST_CJK),
        _("These three need at least {least} answers, texts or known times.").format(least=least),
        _("Same answer: all of at least {least} ratings are equal. Not for questions on passages.").format(
            least=rules.LEAST_EQUAL
        ),
        _("Batches failed: at least {failed}, and at least {half}.").format(failed=rules.FAILED, half=half),
        _("Same browser: it had opened the study under another platform ID. Not for open links."),
    ]
