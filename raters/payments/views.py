"""The payments page of a study: pay, lists, and our sessions compared with the platform's submissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from core import clock
from raters import sources
from raters.payments import candidates, overview, pay, reconciling
from raters.payments.access import may_pay, of_study
from raters.payments.models import DROPPED, PaymentList, PlatformStudy, Submission
from raters.payments.overview import ListedRows, OfferNumbers, PaymentsOverview
from raters.payments.reconciling import ComparedRow
from raters.payments.rules import DIFFERENCES
from raters.people import rules as people_rules
from raters.rating import worth_a_look
from raters.sources.payment_platform import PaymentPlatform
from studies.members import access
from studies.rules.roles import Capability
from studies.summaries import services as summaries

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
    Kind.SCREEN_OUT: _(
        "Pays people who were screened out, or found every place taken where you pay for that, by the code of this "
        "outcome at {platform}."
    ),
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
    """A list that can be prepared; `numbers` is None until a worker has counted."""

    kind: str
    label: str
    about: str
    numbers: OfferNumbers | None


@dataclass(frozen=True, slots=True)
class LinkedStudy:
    """A platform study and the possible actions for its participants."""

    platform: PlatformStudy
    offers: list[ListOffer]
    needed: int
    currency: str
    lacks_code: int
    unread: int
    may_unlink: bool


@dataclass(frozen=True, slots=True)
class PlatformSection:
    """A platform with its linked and unlinked studies."""

    source: str
    platform: PaymentPlatform
    linked: list[LinkedStudy]
    unlinked: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class StudyPay:
    """The pay in one or more platform studies; `name` is set if their rewards differ."""

    name: str
    settings: PaymentSettings
    rates: dict[str, str]
    facts: pay.PayFacts


@require_GET
@of_study
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the payments of a study."""
    linked = reconciling.platforms(study.pk)
    shown = summaries.summary(overview.OVERVIEW, study, now=clock.now())
    value = shown.value
    chosen = request.GET.get("show", "")
    platforms = platform_sections(study, [linked_study(study, each, value) for each in linked], value)
    context = {
        "study": study,
        "shown": shown,
        "may_pay": may_pay(request, study),
        "sees_design": access.may(study, request.user, Capability.SEE_STUDY),
        "platforms": platforms,
        "missing_sources": reconciling.missing_sources(study.pk),
        "place": platforms[0].platform.name if len(platforms) == 1 else _("the platform"),
        "paid": paid(study.definition.payment, linked, value.paid) if value else [],
        "chosen": chosen,
        "invalid": value.invalid if value else 0,
        "invalid_people": ceil(value.invalid / study.definition.protocol.batches_per_session) if value else 0,
        **worth_a_look.panel(study, request.GET.get("look")),
        "lists": PaymentList.objects.filter(platform__study=study.pk).exclude(state=DROPPED).order_by("-pk")[:LISTS],
        **(rows_of(study, linked, value, chosen, request.GET.get("page")) if value else {}),
    }
    return render(request, "raters/payments/overview.html", context)


def rows_of(
    study: Study, linked: Sequence[PlatformStudy], value: PaymentsOverview, chosen: str, number: str | None
) -> dict[str, Any]:
    """Return one page of the rows matching a filter, and the filters."""
    name = chosen if chosen in value.rows or chosen in (overview.ANY, overview.UNDECIDED, *DIFFERS, *STATES) else ""
    page = Paginator(ListedRows(study.pk, linked, value, name), ROWS).get_page(number)
    rows: list[ComparedRow] = list(page.object_list)
    checks = candidates.fair_checks(study.pk, [row.session for row in rows if row.session is not None])
    page.object_list = [row_in_words(row, checks) for row in rows]
    more = value.rows[name].number - page.paginator.count if name in value.rows else 0
    return {"page": page, "filters": filters(value, chosen), "unlisted": more, "most": overview.MOST}


def platform_sections(
    study: Study, linked: Sequence[LinkedStudy], value: PaymentsOverview | None
) -> list[PlatformSection]:
    """Return the platforms of the study's source, of linked studies, and of sources that sent people."""
    unlinked = value.unlinked if value else {}
    shown_sources = {study.definition.crowd.source, *unlinked, *(each.platform.source for each in linked)}
    return [
        PlatformSection(
            name, platform, [each for each in linked if each.platform.source == name], unlinked.get(name, [])
        )
        for name, platform in sources.payment_platforms().items()
        if name in shown_sources
    ]


def paid(
    settings: PaymentSettings, linked: Sequence[PlatformStudy], facts: Mapping[int, pay.PayFacts]
) -> list[StudyPay]:
    """Return the pay, for each platform study if their rewards differ."""
    paying = overview.with_rewards(settings, linked)
    if overview.TOGETHER in facts:
        return [_paid("", overview.as_paid(settings, paying[:1]), facts[overview.TOGETHER])]
    return [
        _paid(each.ext_study, overview.as_paid(settings, [each]), facts[each.pk]) for each in paying if each.pk in facts
    ]


def _paid(name: str, settings: PaymentSettings, facts: pay.PayFacts) -> StudyPay:
    rates = {field: amount(value) for field, value in settings if isinstance(value, int | float)}
    return StudyPay(name, settings, rates, facts)


def linked_study(study: Study, platform: PlatformStudy, value: PaymentsOverview | None) -> LinkedStudy:
    """Return the possible actions for a platform study; Reject is offered even if it would be empty."""
    payment_platform = platform.payment_platform
    numbers = value.platforms.get(platform.pk) if value else None
    of_kind = {each.kind: each for each in numbers.offers} if numbers else {}
    return LinkedStudy(
        platform,
        [
            ListOffer(kind, str(kind.label), about(kind, payment_platform), of_kind.get(kind))
            for kind in overview.KINDS
            if kind in payment_platform.kinds
        ],
        needed=people_rules.failures_needed(platform.minutes or study.definition.payment.minutes),
        currency=study.definition.payment.currency,
        lacks_code=numbers.lacks_code if numbers else 0,
        unread=numbers.unread if numbers and payment_platform.is_configured else 0,
        may_unlink=not PaymentList.objects.filter(platform=platform, confirmed_at__isnull=False).exists(),
    )


def about(kind: str, platform: PaymentPlatform) -> str:
    return ABOUT[kind].format(platform=platform.name)


def filters(value: PaymentsOverview, chosen: str) -> list[dict[str, Any]]:
    """Return the filters that match at least one row, with their counts."""
    labels = {overview.ALL: ALL, overview.ANY: ANY, overview.UNDECIDED: UNDECIDED}
    labels |= {code: DIFFERS[code] for code in DIFFERENCES} | STATES
    options = [
        {"name": name, "label": label, "number": value.rows[name].number if name in value.rows else 0}
        for name, label in labels.items()
    ]
    return [each for each in options if each["number"] or each["name"] in {"", "any", chosen}]


def row_in_words(row: ComparedRow, checks: Mapping[int, list[people_rules.AttentionAnswer]]) -> dict[str, Any]:
    """Return the template values of a row."""
    return {
        "row": row,
        "is_undecided": overview.is_undecided(row),
        "minutes": minutes(row.took.total_seconds() if row.took is not None else None),
        "there": minutes(row.there.total_seconds() if row.there is not None else None),
        "inattentive": len(people_rules.failed(checks.get(row.session or 0, []))),
        "differs": [DIFFERS[code] for code in row.differs],
    }


def amount(value: float) -> str:
    """Format an amount with two decimals, or more if it has them."""
    return f"{value:.2f}" if round(value, 2) == value else f"{value:g}"


def minutes(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / 60
