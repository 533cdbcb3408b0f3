"""Data of the payments page: offers, pay, and rows by filter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from raters.payments import candidates, pay, reconciling
from raters.payments.models import PaymentList, PlatformStudy
from raters.payments.reconciling import ComparedRow
from raters.people import rules as people_rules
from raters.rating import monitor
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study
    from studies.definition.settings.payment import PaymentSettings

Kind = PaymentList.Kind
KINDS = (Kind.APPROVE, Kind.BONUS, Kind.SCREEN_OUT, Kind.REQUEST_RETURN, Kind.REJECT)
# Further filters, besides the differences and the platform's states.
ALL, ANY, UNDECIDED = "", "any", "undecided"
# Rows listed per filter. Once some are handled, the next ones appear.
MOST = 2000
# Key of `paid` if all participants get the same pay.
TOGETHER = 0


@dataclass(frozen=True, slots=True)
class OfferNumbers:
    """Numbers for a list that can be prepared: people, people only a person may add (`held`), and bonuses."""

    kind: str
    number: int
    held: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class PlatformNumbers:
    """Possible actions for the participants of one platform study."""

    offers: list[OfferNumbers]
    lacks_code: int
    unread: int


@dataclass(slots=True)
class FilteredRows:
    """The number of rows matching a filter, and the first keys: sessions, then submissions without one (`strays`)."""

    number: int = 0
    sessions: list[int] = field(default_factory=list)
    strays: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PaymentsOverview:
    """The whole summary, by platform study and by filter. `sessions` counts the rows with a session."""

    platforms: dict[int, PlatformNumbers]
    paid: dict[int, pay.PayFacts]
    rows: dict[str, FilteredRows]
    sessions: int
    invalid: int
    unlinked: dict[str, list[tuple[str, int]]]


def compute(study: Study, choice: str) -> PaymentsOverview:
    """Read all sessions and submissions of a study, and the answers that are paid."""
    linked = reconciling.platforms(study.pk)
    rows, done = reconciling.rows(study.pk, linked), pay.work(study.pk)
    checks = candidates.fair_checks(study.pk)
    return PaymentsOverview(
        {each.pk: _numbers(study, each, rows, done, checks) for each in linked},
        pay_facts(study.definition.payment, linked, rows, done),
        by_filter(rows),
        sum(row.session is not None for row in rows),
        candidates.invalid_batches(study.pk),
        reconciling.unlinked(study.pk),
    )


OVERVIEW = SummaryKind("payments", PaymentsOverview, compute, lambda study: monitor.sessions_of(study.pk, False))


def _numbers(
    study: Study,
    platform: PlatformStudy,
    rows: list[ComparedRow],
    done: Mapping[int, pay.SessionWork],
    checks: Mapping[int, list[people_rules.AttentionAnswer]],
) -> PlatformNumbers:
    facts = candidates.platform_facts(study, platform, rows, done, checks)
    offers = []
    for kind in KINDS:
        if kind in platform.payment_platform.kinds:
            people = list(candidates.candidates(facts, kind))
            held = sum(each.held for each in people)
            amount = sum((each.amount or Decimal(0) for each in people), Decimal(0))
            offers.append(OfferNumbers(kind, len(people) - held, held, amount))
    return PlatformNumbers(offers, candidates.lacks_code(facts), candidates.unread(facts))


def pay_facts(
    settings: PaymentSettings,
    linked: Sequence[PlatformStudy],
    rows: Sequence[ComparedRow],
    done: Mapping[int, pay.SessionWork],
) -> dict[int, pay.PayFacts]:
    """Return the pay facts under `TOGETHER`, or by platform study if their rewards differ."""
    paying = with_rewards(settings, linked)
    if len(paying) < 2:
        return {TOGETHER: pay.facts(as_paid(settings, paying), done)}
    of = {row.session: row.submission.platform_id for row in rows if row.submission is not None}
    return {
        each.pk: pay.facts(
            as_paid(settings, [each]), {key: work for key, work in done.items() if of.get(key) == each.pk}
        )
        for each in paying
    }


def with_rewards(settings: PaymentSettings, linked: Sequence[PlatformStudy]) -> list[PlatformStudy]:
    """Return the platform studies that set the pay: all with a reward if these differ, otherwise at most one."""
    paying = [each for each in linked if each.reward is not None]
    is_same = settings.rate is not None or len({(each.reward, each.currency) for each in paying}) < 2
    return paying[:1] if is_same else paying


def as_paid(settings: PaymentSettings, paying: Sequence[PlatformStudy]) -> PaymentSettings:
    """Return the settings with the first platform study's reward, if they have no pay of their own."""
    return pay.as_paid(settings, paying[0].reward, paying[0].currency) if paying else settings


def by_filter(rows: Sequence[ComparedRow]) -> dict[str, FilteredRows]:
    """Group the rows by filter."""
    listed: defaultdict[str, FilteredRows] = defaultdict(FilteredRows)
    for row in rows:
        for name in filters_of(row):
            entry = listed[name]
            entry.number += 1
            # The filter "all" reads its rows page by page instead.
            if name == ALL or len(entry.sessions) + len(entry.strays) == MOST:
                continue
            if row.session is not None:
                entry.sessions.append(row.session)
            elif row.submission is not None:
                entry.strays.append(row.submission.pk)
    return dict(listed)


def filters_of(row: ComparedRow) -> Iterator[str]:
    """Yield the filters that a row matches."""
    yield ALL
    if row.differs:
        yield ANY
    if is_undecided(row):
        yield UNDECIDED
    yield from row.differs
    if row.state:
        yield row.state


def is_undecided(row: ComparedRow) -> bool:
    return row.session is not None and row.outcome != "" and row.payable is None


class ListedRows(Sequence[ComparedRow]):
    """Current rows of a filter, read when a page of them is requested."""

    def __init__(self, study_id: int, linked: Sequence[PlatformStudy], overview: PaymentsOverview, name: str) -> None:
        entry = overview.rows.get(name, FilteredRows())
        self.study_id, self.linked, self.number = study_id, linked, entry.number
        self.sessions: Any = entry.sessions
        self.strays: Any = entry.strays
        self.of_sessions = len(entry.sessions)
        if name == ALL:
            self.sessions, self.strays = reconciling.keys(study_id, linked)
            self.of_sessions = overview.sessions
        else:
            self.number = self.of_sessions + len(entry.strays)

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, place: Any) -> Any:
        start, stop, _step = place.indices(self.number)
        after = [max(0, each - self.of_sessions) for each in (start, stop)]
        sessions = list(self.sessions[start : min(stop, self.of_sessions)]) if start < self.of_sessions else []
        return reconciling.rows(self.study_id, self.linked, sessions, list(self.strays[after[0] : after[1]]))
