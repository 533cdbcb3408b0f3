"""The declaration of a kind of work: content of the card, possible decisions, and the rule that settles an item."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from django.db.models import QuerySet
from pydantic import Field

from core.spec import Spec

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from accounts.users.models import User
    from studies.decisions.experts import CardClip
    from studies.decisions.holding import Holding
    from studies.definition.models import Study


class Sent(Spec):
    """Sent with every decision: a note, and the keys of the played clips."""

    note: str = Field("", max_length=10_000)
    played: tuple[str, ...] = Field((), max_length=100)


class SentDecision(Sent):
    """A choice among several."""

    decision: str = Field(max_length=20)


class QueueSettings(Protocol):
    """Settings of a queue as long as a study."""

    @property
    def mode(self) -> str: ...
    @property
    def share(self) -> float: ...
    @property
    def double_share(self) -> float: ...
    @property
    def simulated(self) -> bool: ...


class FillingState(NamedTuple):
    """A worker's progress in adding items to a study's queue."""

    # True if a worker is looking for items or was asked to.
    is_under_way: bool
    # The start of the wait, if no worker has acted for longer than usual.
    waits_since: datetime | None


NOT_FILLING = FillingState(is_under_way=False, waits_since=None)


class Kind(ABC):
    """One kind of work. `decisions`, `queue` and `desk` do the rest; see `bases` for the usual columns."""

    # Used in the addresses of its page and endpoints.
    name: ClassVar[str]
    address: ClassVar[str]
    template: ClassVar[str]
    title: ClassVar[Words]
    about: ClassVar[Words]
    items: ClassVar[type[Any]]
    decisions: ClassVar[type[Any]]
    holding: ClassVar[Holding]
    # Column names of a decision: its item, its study, and the outcome.
    of_item: ClassVar[str] = "item"
    of_study: ClassVar[str] = "study"
    code: ClassVar[str] = "decision"
    sent: ClassVar[type[Sent]] = SentDecision
    # True if an expert must have played every clip of an item.
    must_play: ClassVar[bool] = False

    @abstractmethod
    def is_on(self, study: Study) -> bool:
        """True if the study has this work now."""

    @abstractmethod
    def clips(self, items: Sequence[Any]) -> dict[int, list[CardClip]]:
        """Return {item: its clips, in order}."""

    @abstractmethod
    def shown(self, items: Sequence[Any]) -> dict[int, dict[str, Any]]:
        """Return {item: the card's content besides clips}, without systems, raters and others' findings."""

    @abstractmethod
    def record(self, item: Any, valid: Sequence[Any]) -> dict[str, Any]:
        """Return the card's content to store with a decision; texts by their hash, so that an erasure covers them."""

    @abstractmethod
    def check(self, user: User, item: Any, sent: Any) -> None:
        """Raise `Invalid` for a decision that doesn't fit a locked item, `Conflict` if the item can't be decided."""

    @abstractmethod
    def columns(self, item: Any, sent: Any, valid: Sequence[Any]) -> dict[str, Any]:
        """Return the kind's own columns of a new decision."""

    @abstractmethod
    def wanted(self, item: Any, valid: Sequence[Any]) -> int:
        """Return how many experts who agree settle an item."""

    def settings(self, study: Study) -> QueueSettings | None:
        """Return the settings of a queue as long as a study (of `QueueItem`s); None for a queue that may be read."""
        return None

    def scope(self, study_id: int) -> QuerySet[Any]:
        """Return the study's items that may be in the queue."""
        rows: QuerySet[Any] = self.items._default_manager.filter(study=study_id)
        return rows

    def usable(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the items that still count, for example of usable answers."""
        return rows

    def allowed(self, rows: QuerySet[Any], user_id: int) -> QuerySet[Any]:
        """Return the items that this expert may see."""
        return rows

    def order(self, study: Study) -> tuple[str, ...]:
        """Return the order of items, after disputed ones."""
        return ("draw",)

    def outcome(self, decision: Any) -> str:
        """Return the outcome of a decision; experts agree if their outcomes are equal."""
        return str(getattr(decision, self.code))

    def settles(self, decision: Any) -> bool:
        """True if a decision settled a dispute."""
        return False

    def follow(self, item: Any, state: str, outcome: str, valid: Sequence[Any], *, by: User, now: datetime) -> None:
        """Store a locked item's state and its effects."""
        item.state = state
        item.save(update_fields=["state"])

    def is_same(self, decision: Any, sent: Any) -> bool:
        """True if a stored decision equals the one sent."""
        return bool(getattr(decision, self.code) == sent.decision)

    # The following hooks do nothing by default.

    def prepare(self, study: Study) -> None:  # noqa: B027
        """Draw what the page needs, at a cost independent of the number of answers."""

    def filling(self, study: Study, now: datetime) -> FillingState:
        """Return whether a worker is about to add items."""
        return NOT_FILLING

    def expect_open(self, study: Study) -> None:  # noqa: B027
        """Raise `Conflict` if nothing can be decided or undone any more."""

    def lock(self, study: Study, item_pk: int) -> None:  # noqa: B027
        """Lock what a decision may change, before its item."""

    def store(self, decision: Any, sent: Any) -> None:  # noqa: B027
        """Store what belongs to a new decision."""

    def context(self, study: Study) -> dict[str, Any]:
        """Return further context for the page's template."""
        return {}

    def reply(self, decision: Any) -> dict[str, Any]:
        """Return further fields for the page once a decision is stored."""
        return {}

    def undone(self, study: Study, decision: Any) -> dict[str, Any]:
        """Return further fields for the page once a decision is undone."""
        return {}
