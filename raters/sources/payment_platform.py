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

# Kinds of payment lists that a platform may support.
Kind = Literal["approve", "bonus", "screen_out", "request_return", "reject", "places"]
# The id of a submission or a study at its platform, safe in a URL.
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class PlatformRefusal(DomainError):
    """The platform refused the request: nothing happened."""

    status = 502
    code = "refused"


class NotYet(PlatformRefusal):
    """The submission is still under way, so it can't be decided: nothing happened; try later."""

    code = "not_yet"


class NotSent(DomainError):
    """The platform can't be reached or is busy: nothing happened."""

    status = 503
    code = "not_sent"


class Unclear(DomainError):
    """The request was sent, but its result is unknown."""

    status = 502
    code = "unclear"


class NotSetUp(DomainError):
    """The platform's token is missing or rejected."""

    status = 409
    code = "not_set_up"


class BadSignature(DomainError):
    """A message isn't signed with the platform's secret, or is too old."""

    status = 401
    code = "bad_signature"


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """A platform's record of one submission. States missing in `Submission.State` count as unknown.

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
    """A platform's signed message: its id, and the ids of studies and submissions in it."""

    id: str
    names: frozenset[str]


def not_offered() -> PlatformRefusal:
    """Return the error for an unsupported action."""
    return PlatformRefusal(_("The platform doesn’t offer this."))


class PaymentClient(Protocol):
    """An account at a platform. Clients implement only the actions in the platform's `kinds`.

    Each method raises `PlatformRefusal`, `NotSent` or `NotSetUp` if nothing happened, and `Unclear` if the result is
    unknown. A call that must not happen twice sends exactly one request.
    """

    def account(self) -> str:
        """Return the name of the token's account."""
        ...

    def study(self, study: str) -> StudyRecord:
        """Return a study's pay and number of places."""
        ...

    def submissions(self, study: str) -> Iterator[SubmissionRecord]:
        """Yield all submissions of one study, each once."""
        ...

    def submission(self, submission: str) -> SubmissionRecord:
        """Return one submission with its bonuses."""
        ...

    def approve(self, submission: str) -> None:
        """Approve a submission; raises `NotYet` before the participant has submitted. Repeats change nothing."""
        raise not_offered()

    def reject(self, submission: str, *, message: str) -> None:
        """Reject a submission with a message to the participant. Repeats change nothing."""
        raise not_offered()

    def screen_out(self, submission: str, *, code: str) -> None:
        """Complete a submission with the code for screened-out people. Repeats change nothing."""
        raise not_offered()

    def request_return(self, submission: str, *, message: str) -> None:
        """Ask the participant to return the submission; each call sends a message."""
        raise not_offered()

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal]) -> str:
        """Create an order of bonuses and return its id; nothing is paid yet."""
        raise not_offered()

    def pay_bonuses(self, order: str) -> None:
        """Pay an order; each call may pay."""
        raise not_offered()

    def set_places(self, study: str, places: int) -> None:
        """Set a study's total number of places."""
        raise not_offered()

    def close(self) -> None:
        """Close the connection."""
        ...


class PaymentPlatform(ABC):
    """A platform with an API for reading submissions and paying people."""

    # Name in the interface.
    name: ClassVar[str]
    # Name of the setting with its token, for messages to administrators.
    token_setting: ClassVar[str]
    # Supported kinds of payment lists.
    kinds: ClassVar[frozenset[Kind]] = frozenset(get_args(Kind))
    # Characters, of a rejection's message and of any message.
    shortest_rejection: ClassVar[int] = 1
    longest_message: ClassVar[int] = 2000
    # Maximum bonuses per order.
    bonuses_at_once: ClassVar[int] = 200
    # Values, in capitals, that people without a code submit.
    no_codes: ClassVar[frozenset[str]] = frozenset()
    # Help texts: where to find a study's id, and what the platform adds to a return request.
    study_help: ClassVar[Words] = ""
    return_help: ClassVar[Words] = ""
    # Columns in the platform's CSV export: {field of SubmissionRecord: titles in lower case}, at least "id" and
    # "state". Empty: no upload.
    csv_columns: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @property
    @abstractmethod
    def is_configured(self) -> bool:
        """True if a token is set; must not import the client."""

    @abstractmethod
    def connect(self) -> PaymentClient:
        """Return a client with the token."""

    def client(self) -> PaymentClient:
        """Return a client; raises `NotSetUp` without a token. For jobs only: pages must not wait for other servers."""
        if not self.is_configured:
            raise NotSetUp(_("No token for {platform} is set on this server.").format(platform=self.name))
        return self.connect()

    def state_of(self, word: str) -> str:
        """Convert the platform's name of a state."""
        return word

    @property
    def takes_messages(self) -> bool:
        """True if the platform's messages can be verified."""
        return False

    def message(self, headers: Mapping[str, str], raw: bytes, now: datetime) -> Message:
        """Verify a message by its raw bytes; raises `BadSignature`."""
        raise BadSignature("This platform sends no messages.")

    def examine(self) -> Iterator[Finding]:
        """Check that the platform accepts the token in the settings."""
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
    """Parse a time; UTC unless it has a time zone. None if invalid."""
    try:
        parsed = parse_datetime(str(text)) if text else None
    except ValueError:
        parsed = None
    return parsed.replace(tzinfo=UTC) if parsed is not None and parsed.tzinfo is None else parsed
