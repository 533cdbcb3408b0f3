"""The optional payments interface of a crowd source: a client, its limits and its texts."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, get_args

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from core.errors import DomainError
from core.findings import OK, PROBLEM, Finding

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

# What a list of payments may do at a platform.
Kind = Literal["approve", "bonus", "screen_out", "request_return", "reject", "places"]
# The id of a submission or a study at its platform, safe in a URL.
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class PlatformRefusal(DomainError):
    """The platform understood and said no: nothing happened."""

    status = 502
    code = "refused"


class NotYet(PlatformRefusal):
    """The submission is still under way, so that it can't be decided on: nothing happened, and later it may."""

    code = "not_yet"


class NotSent(DomainError):
    """The platform can't be reached or accepts no more requests: nothing happened."""

    status = 503
    code = "not_sent"


class Unclear(DomainError):
    """The request went out and no answer came that says what became of it."""

    status = 502
    code = "unclear"


class NotSetUp(DomainError):
    """There is no token for the platform, or it is refused."""

    status = 409
    code = "not_set_up"


class BadSignature(DomainError):
    """A message is not signed by the platform's secret, or too old."""

    status = 401
    code = "bad_signature"


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """A platform's record of one submission. A `state` that `Submission.State` lacks counts as unknown.

    `bonus` is None if the platform reports bonuses only for single submissions.
    """

    id: str
    person: str
    state: str
    code: str
    started_at: datetime | None
    completed_at: datetime | None
    return_asked_at: datetime | None = None
    bonus: Decimal | None = None


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """A platform's record of its own study: reward, currency, stated duration and places."""

    status: str
    reward: Decimal | None
    currency: str
    minutes: int | None
    places: int | None


@dataclass(frozen=True, slots=True)
class Message:
    """A message that a platform has signed: its own id, and the ids of studies and submissions that it names."""

    id: str
    names: frozenset[str]


def not_offered() -> PlatformRefusal:
    """Return the refusal of what a platform can't do."""
    return PlatformRefusal(_("The platform doesn’t offer this."))


class PaymentClient(Protocol):
    """An account at a platform. A client that inherits from this leaves out what is not among the platform's `kinds`.

    Each method raises `PlatformRefusal`, `NotSent` or `NotSetUp` if nothing happened, and `Unclear` if the result is
    unknown. A call that must not happen twice sends exactly one request.
    """

    def account(self) -> str:
        """Return the name of the account that the token belongs to."""
        ...

    def study(self, study: str) -> StudyRecord:
        """Return what a study pays and for how many places."""
        ...

    def submissions(self, study: str) -> Iterator[SubmissionRecord]:
        """Yield all submissions of one study, each once."""
        ...

    def submission(self, submission: str) -> SubmissionRecord:
        """Return one submission with its bonuses."""
        ...

    def approve(self, submission: str) -> None:
        """Approve; raises `NotYet` while the participant has not handed it in. A second time changes nothing."""
        raise not_offered()

    def reject(self, submission: str, *, message: str) -> None:
        """Reject, with reasons that the participant reads. A second time changes nothing."""
        raise not_offered()

    def screen_out(self, submission: str, *, code: str) -> None:
        """Let the code for screened-out people take effect. A second time changes nothing."""
        raise not_offered()

    def request_return(self, submission: str, *, message: str) -> None:
        """Ask the participant to give the place back; each call writes to them."""
        raise not_offered()

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal]) -> str:
        """Name who is to get how much, and return the order's name; nothing is paid yet."""
        raise not_offered()

    def pay_bonuses(self, order: str) -> None:
        """Pay an order; each call may pay."""
        raise not_offered()

    def set_places(self, study: str, places: int) -> None:
        """Give a study this many places altogether."""
        raise not_offered()

    def close(self) -> None:
        """Let go of the connection."""
        ...


class PaymentPlatform(ABC):
    """A platform whose submissions are read and whose people are paid from here."""

    # As pages and messages call it.
    name: ClassVar[str]
    # The setting that holds its token, named for people who set up the server.
    token_setting: ClassVar[str]
    # The lists that can be carried out there.
    kinds: ClassVar[frozenset[Kind]] = frozenset(get_args(Kind))
    # Characters of a rejection's message, and of any message.
    shortest_rejection: ClassVar[int] = 1
    longest_message: ClassVar[int] = 2000
    # Bonuses of one order.
    bonuses_at_once: ClassVar[int] = 200
    # What people hand in there who have no code, in capitals.
    no_codes: ClassVar[frozenset[str]] = frozenset()
    # Where a researcher finds the id of a study, and what the platform adds to a request to return; empty: nothing.
    study_help: ClassVar[Words] = ""
    return_help: ClassVar[Words] = ""
    # The columns of the platform's own list of submissions as a CSV file: {field of SubmissionRecord: titles in small
    # letters}, "id" and "state" among them. Empty: no list is uploaded.
    csv_columns: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @property
    @abstractmethod
    def is_configured(self) -> bool:
        """Say whether there is a token, without loading what would use it."""

    @abstractmethod
    def connect(self) -> PaymentClient:
        """Return a client that uses the token."""

    def client(self) -> PaymentClient:
        """Return a client; raises `NotSetUp` without a token. For jobs: pages don't wait for other servers."""
        if not self.is_configured:
            raise NotSetUp(_("No token for {platform} is set on this server.").format(platform=self.name))
        return self.connect()

    def state_of(self, word: str) -> str:
        """Return the state of a submission by the platform's word for it."""
        return word

    @property
    def takes_messages(self) -> bool:
        """Say whether messages of the platform's can be proven."""
        return False

    def message(self, headers: Mapping[str, str], raw: bytes, now: datetime) -> Message:
        """Check a message over the very bytes that came; raises `BadSignature`."""
        raise BadSignature("This platform sends no messages.")

    def examine(self) -> Iterator[Finding]:
        """Yield whether the platform takes the token that the settings name."""
        if not self.is_configured:
            yield Finding(self.name, OK, f"no token is set; pay people on {self.name}'s own pages")
            return
        try:
            account = self.client().account()
        except (NotSent, NotSetUp, PlatformRefusal, Unclear) as error:
            remedy = f"Create a new token at {self.name}, and set {self.token_setting} (docs/paying.md)."
            yield Finding(self.name, PROBLEM, error.message, remedy)
            return
        yield Finding(self.name, OK, f"the token of {account} is accepted")


def moment(text: object) -> datetime | None:
    """Read a time, which is UTC when it says nothing else."""
    try:
        parsed = parse_datetime(str(text)) if text else None
    except ValueError:
        parsed = None
    return parsed.replace(tzinfo=UTC) if parsed is not None and parsed.tzinfo is None else parsed
