"""A crowd source in one file, payments included: a panel that knows approvals, rejections and bonuses alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from core import env
from raters.sources.base import ArrivalRequest, RaterArrival, RaterSource, read_ids
from raters.sources.payment_platform import (
    NotYet,
    PaymentClient,
    PaymentPlatform,
    StudyRecord,
    SubmissionRecord,
    Unclear,
)
from studies.definition.settings.crowd import Crowd

STATES = {"Working": "active", "Submitted": "awaiting_review", "Paid": "approved", "Declined": "rejected"}


@dataclass
class Account:
    """What the panel holds: no network is anywhere near it."""

    # {submission: [person, word, code]}
    submissions: dict[str, list[str]] = field(default_factory=dict)
    bonuses: dict[str, Decimal] = field(default_factory=dict)
    orders: dict[str, dict[str, Decimal]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    payments: int = 0
    # Whether the line breaks after the panel has paid.
    breaks: bool = False


ACCOUNT = Account()


class PanelClient(PaymentClient):
    """The panel's API."""

    def account(self) -> str:
        return "our panel"

    def study(self, study: str) -> StudyRecord:
        return StudyRecord("open", Decimal(2), "GBP", 10, 20)

    def submissions(self, study: str) -> Iterator[SubmissionRecord]:
        yield from (self.submission(name) for name in ACCOUNT.submissions)

    def submission(self, submission: str) -> SubmissionRecord:
        person, word, code = ACCOUNT.submissions[submission]
        bonus = ACCOUNT.bonuses.get(submission, Decimal(0))
        return SubmissionRecord(
            submission, person, Panel.payment_platform.state_of(word), code, None, None, None, bonus
        )

    def approve(self, submission: str) -> None:
        if ACCOUNT.submissions[submission][1] == "Working":
            raise NotYet("They are still at it.")
        ACCOUNT.submissions[submission][1] = "Paid"

    def reject(self, submission: str, *, message: str) -> None:
        ACCOUNT.submissions[submission][1], ACCOUNT.reasons[submission] = "Declined", message

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal]) -> str:
        ACCOUNT.orders["order-1"] = dict(amounts)
        return "order-1"

    def pay_bonuses(self, order: str) -> None:
        ACCOUNT.payments += 1
        for name, amount in ACCOUNT.orders[order].items():
            ACCOUNT.bonuses[name] = ACCOUNT.bonuses.get(name, Decimal(0)) + amount
        if ACCOUNT.breaks:
            raise Unclear("The line broke.")

    def close(self) -> None:
        pass


class PanelPayments(PaymentPlatform):
    """What the panel pays."""

    name = "The Panel"
    token_setting = "EARSHOT_PANEL_TOKEN"
    kinds = frozenset({"approve", "reject", "bonus"})
    shortest_rejection = 20
    longest_message = 60
    no_codes = frozenset({"NONE"})

    @property
    def is_configured(self) -> bool:
        return bool(env.text(self.token_setting))

    def connect(self) -> PanelClient:
        return PanelClient()

    def state_of(self, word: str) -> str:
        return STATES.get(word, "unknown")


class Panel(RaterSource):
    """People of the panel."""

    name = "panel"
    label = "Our panel"
    place = "The Panel"
    payment_platform = PanelPayments()

    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        ids = read_ids(knock.params, {"person": ("who",), "session": ("visit",)})
        return RaterArrival(self.name, ids["person"], "panel-study", ids["session"])

    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        return f"{base_url}/s/{slug}/"
