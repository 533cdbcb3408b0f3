"""The payments page of a study: pay, lists, and our sessions compared with the platform's submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from raters import sources
from raters.payments import candidates, pay, reconciling
from raters.payments.access import may_pay, of_study
from raters.payments.models import DROPPED, PaymentList, PlatformStudy, Submission
from raters.payments.reconciling import ComparedRow
from raters.payments.rules import DIFFERENCES
from raters.people import rules as people_rules
from raters.sources.payment_platform import PaymentPlatform

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.models import Study
    from studies.definition.settings.payment import PaymentSettings

Kind = PaymentList.Kind
ALL: Words = _("All")
ANY: Words = _("Any difference")
UNDECIDED: Words = _("Pay undecided")
STATES: dict[str, Words] = dict(Submission.State.choices)
DIFFERS: dict[str, Words] = {
    "not_here": _("Submitted, but no session in Earshot"),
    "not_there": _("Session without a submission"),
    "other_person": _("Submission of another person"),
    "no_code": _("No code entered"),
    "wrong_code": _("Wrong code entered"),
    "unfinished_here": _("Submitted before the session ended"),
    "not_handed_in": _("Session ended, not submitted"),
    "finished_late": _("Payable, but timed out"),
    "owed_not_paid": _("Payable, but not paid"),
    "paid_not_owed": _("Paid, but not payable"),
    "times_apart": _("Times differ by more than ten minutes"),
}
ABOUT: dict[str, Words] = {
    Kind.APPROVE: _("Approves payable sessions. {platform} then pays the reward."),
    Kind.BONUS: _("Pays what is owed on top of the reward, minus bonuses already paid."),
    Kind.SCREEN_OUT: _("Pays people who were screened out, by the screen-out code at {platform}."),
    Kind.REQUEST_RETURN: _(
        "Asks people without payable work to return their submission. {platform} sends them the message."
    ),
    Kind.REJECT: _("Rejects people who failed enough fair attention checks. Traps and scores never count."),
    Kind.PLACES: _("Lets more people take part, each for the reward."),
}


ROWS = 100
LISTS = 20


@dataclass(frozen=True, slots=True)
class ListOffer:
    """A list that could be prepared, how long it would be, and for how many a person has to say it first."""

    kind: str
    label: str
    about: str
    number: int
    held: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class LinkedStudy:
    """One of the platform's studies and what can be done about its people."""

    platform: PlatformStudy
    offers: list[ListOffer]
    needed: int
    needs_minutes: bool
    currency: str
    lacks_code: int
    unread: int
    may_unlink: bool


@dataclass(frozen=True, slots=True)
class PlatformSection:
    """A platform with the linked and not yet linked studies whose raters it pays."""

    source: str
    platform: PaymentPlatform
    linked: list[LinkedStudy]
    unlinked: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class StudyPay:
    """The pay in one or more platform studies; `name` is set where their rewards differ."""

    name: str
    settings: PaymentSettings
    rates: dict[str, str]
    facts: pay.PayFacts


@require_GET
@of_study
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the payments of a study."""
    linked = reconciling.platforms(study.pk)
    rows = reconciling.rows(study.pk, linked)
    done = pay.work(study.pk)
    chosen = request.GET.get("show", "")
    checks = candidates.fair_checks(study.pk)
    invalid = candidates.invalid_batches(study.pk)
    platforms = platform_sections(study, [linked_study(study, each, rows, done, checks) for each in linked])
    context = {
        "study": study,
        "may_pay": may_pay(request, study),
        "platforms": platforms,
        "missing_sources": reconciling.missing_sources(study.pk),
        "place": platforms[0].platform.name if len(platforms) == 1 else _("the platform"),
        "paid": paid(study.definition.payment, linked, rows, done),
        "filters": filters(rows, chosen),
        "page": Paginator([row_in_words(row, checks) for row in filtered(rows, chosen)], ROWS).get_page(
            request.GET.get("page")
        ),
        "chosen": chosen,
        "invalid": invalid,
        "invalid_people": ceil(invalid / study.definition.protocol.batches_per_session),
        "lists": PaymentList.objects.filter(platform__study=study.pk).exclude(state=DROPPED).order_by("-pk")[:LISTS],
    }
    return render(request, "raters/payments/overview.html", context)


def platform_sections(study: Study, linked: Sequence[LinkedStudy]) -> list[PlatformSection]:
    """Return the platforms of the study's own source, of linked studies and of sources that people came from."""
    unlinked = reconciling.unlinked(study.pk)
    shown_sources = {study.definition.crowd.source, *unlinked, *(each.platform.source for each in linked)}
    return [
        PlatformSection(
            name, platform, [each for each in linked if each.platform.source == name], unlinked.get(name, [])
        )
        for name, platform in sources.payment_platforms().items()
        if name in shown_sources
    ]


def paid(
    settings: PaymentSettings,
    linked: Sequence[PlatformStudy],
    rows: Sequence[ComparedRow],
    done: Mapping[int, pay.SessionWork],
) -> list[StudyPay]:
    """Return what people are paid: together, or for each platform study where the rewards are not the same."""
    with_reward = [each for each in linked if each.reward is not None]
    if settings.rate is not None or len({(each.reward, each.currency) for each in with_reward}) < 2:
        one = with_reward[0] if with_reward else None
        return [_paid("", pay.as_paid(settings, one.reward, one.currency) if one else settings, done)]
    of = {row.session: row.submission.platform_id for row in rows if row.submission is not None}
    return [
        _paid(
            each.ext_study,
            pay.as_paid(settings, each.reward, each.currency),
            {key: work for key, work in done.items() if of.get(key) == each.pk},
        )
        for each in with_reward
    ]


def _paid(name: str, settings: PaymentSettings, done: Mapping[int, pay.SessionWork]) -> StudyPay:
    rates = {field: amount(value) for field, value in settings if isinstance(value, int | float)}
    return StudyPay(name, settings, rates, pay.facts(settings, done))


def linked_study(
    study: Study,
    platform: PlatformStudy,
    rows: list[ComparedRow],
    done: dict[int, pay.SessionWork],
    checks: Mapping[int, list[people_rules.AttentionAnswer]],
) -> LinkedStudy:
    """Return what can be done for one platform study; Reject is listed even if nobody can be rejected."""
    facts = candidates.platform_facts(study, platform, rows, done, checks)
    payment_platform = platform.payment_platform
    offers = []
    for kind in (Kind.APPROVE, Kind.BONUS, Kind.SCREEN_OUT, Kind.REQUEST_RETURN, Kind.REJECT):
        if kind not in payment_platform.kinds:
            continue
        people = list(candidates.candidates(facts, kind))
        amount = sum((each.amount or Decimal(0) for each in people), Decimal(0))
        held = sum(each.held for each in people)
        offers.append(ListOffer(kind, str(kind.label), about(kind, payment_platform), len(people) - held, held, amount))
    minutes = candidates.estimate(facts)
    return LinkedStudy(
        platform,
        offers,
        needed=people_rules.failures_needed(minutes),
        needs_minutes=minutes is None,
        currency=study.definition.payment.currency,
        lacks_code=candidates.lacks_code(facts),
        unread=candidates.unread(facts) if payment_platform.is_configured else 0,
        may_unlink=not PaymentList.objects.filter(platform=platform, confirmed_at__isnull=False).exists(),
    )


def about(kind: str, platform: PaymentPlatform) -> str:
    """Return what a list of this kind does."""
    return ABOUT[kind].format(platform=platform.name)


def filtered(rows: Sequence[ComparedRow], chosen: str) -> list[ComparedRow]:
    """Return the rows that a filter lets through."""
    if chosen == "any":
        return [row for row in rows if row.differs]
    if chosen == "undecided":
        return [row for row in rows if is_undecided(row)]
    if chosen in DIFFERENCES:
        return [row for row in rows if chosen in row.differs]
    if chosen in STATES:
        return [row for row in rows if row.state == chosen]
    return list(rows)


def is_undecided(row: ComparedRow) -> bool:
    return row.session is not None and row.outcome != "" and row.payable is None


def filters(rows: Sequence[ComparedRow], chosen: str) -> list[dict[str, Any]]:
    """Return the filters that match at least one row, with their counts."""
    differ = Counter(code for row in rows for code in row.differs)
    states = Counter(row.state for row in rows if row.state)
    options = [
        {"name": "", "label": ALL, "number": len(rows)},
        {"name": "any", "label": ANY, "number": sum(bool(row.differs) for row in rows)},
        {"name": "undecided", "label": UNDECIDED, "number": sum(is_undecided(row) for row in rows)},
        *({"name": code, "label": DIFFERS[code], "number": differ[code]} for code in DIFFERENCES),
        *({"name": state, "label": label, "number": states[state]} for state, label in STATES.items()),
    ]
    return [each for each in options if each["number"] or each["name"] in {"", "any", chosen}]


def row_in_words(row: ComparedRow, checks: Mapping[int, list[people_rules.AttentionAnswer]]) -> dict[str, Any]:
    """Return a row in words."""
    return {
        "row": row,
        "is_undecided": is_undecided(row),
        "minutes": minutes(row.took.total_seconds() if row.took is not None else None),
        "there": minutes(row.there.total_seconds() if row.there is not None else None),
        "inattentive": len(people_rules.failed(checks.get(row.session or 0, []))),
        "differs": [DIFFERS[code] for code in row.differs],
    }


def amount(value: float) -> str:
    """Return an amount with two decimals, or more if it has them."""
    return f"{value:.2f}" if round(value, 2) == value else f"{value:g}"


def minutes(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / 60
