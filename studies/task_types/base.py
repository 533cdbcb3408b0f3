"""What a task type must say about itself; see CONTRIBUTING for how to add one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, TypeVar, get_args

from pydantic import ValidationError

from core.errors import Invalid
from core.spec import Spec, problems

P = TypeVar("P", bound=Spec)
A = TypeVar("A", bound=Spec)

TRAPS = ("trap_flawed", "trap_human")
RATED = ("test", *TRAPS)


@dataclass(frozen=True, slots=True)
class ClipFact:
    """A clip as a task type sees it."""

    clip: int
    system: str
    role: str
    text: str = ""
    dimension: str = ""


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """What one trial will ask about: clips by place, and the cell it belongs to."""

    clips: tuple[int, ...]
    system: str
    role: str
    text: str = ""
    dimension: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The items that the clips allow, or why they allow none."""

    items: tuple[ItemPlan, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """An item about to be shown: how many clips it has and what role it plays."""

    role: str
    places: int = 1


class Shown(Spec):
    """What was drawn for one trial. Only `public` ever reaches a browser."""

    public: dict[str, Any] = {}
    private: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Row:
    """One tidy row of an answer: which part, its canonical code, its number, and which clip it is about."""

    part: str
    code: str
    value: float | None
    place: int | None = 0


@dataclass(frozen=True, slots=True)
class Score:
    """The number that pages, power and reports read from the rows."""

    name: str
    low: float
    high: float
    unit: str
    part: str
    codes: Mapping[str, str] = field(default_factory=dict)


class TaskType(ABC, Generic[P, A]):
    """A kind of question. Subclasses name `Params` and `Answer` once, in their base: `TaskType[Params, Answer]`."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    label: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    score: ClassVar[Score]
    options: ClassVar[int]
    places: ClassVar[int] = 1

    Params: type[P]
    Answer: type[A]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in getattr(cls, "__orig_bases__", ()):
            if getattr(base, "__origin__", None) is TaskType:
                cls.Params, cls.Answer = get_args(base)

    def params(self, raw: Mapping[str, Any]) -> P:
        """Validate what the researcher set; raises `Invalid` naming each field."""
        try:
            return self.Params.model_validate(raw)
        except ValidationError as error:
            raise Invalid("The task's parameters need a change.", problems(error.errors())) from error

    def answer(self, raw: Mapping[str, Any]) -> A:
        """Validate the shape of what the rater sent; raises `Invalid` naming each field."""
        try:
            return self.Answer.model_validate(raw)
        except ValidationError as error:
            raise Invalid("The answer needs a change.", problems(error.errors())) from error

    def reason(self, answer: A) -> str:
        """Return the written justification, if this task asks for one."""
        return str(getattr(answer, "reason", ""))

    def layout(self, params: P, clips: Sequence[ClipFact]) -> Layout:
        """Make items of clips; by default each rated clip is an item of its own."""
        return Layout(
            tuple(
                ItemPlan((clip.clip,), clip.system, clip.role, clip.text, clip.dimension)
                for clip in clips
                if clip.role in RATED
            )
        )

    @abstractmethod
    def draw(self, params: P, item: Item, rng: Random) -> Shown:
        """Draw what varies from trial to trial: order, options."""

    @abstractmethod
    def problems(self, params: P, shown: Shown, answer: A) -> dict[str, str]:
        """Say what is wrong with an answer, by field; empty when it may be stored."""

    @abstractmethod
    def rows(self, params: P, shown: Shown, answer: A) -> list[Row]:
        """Return the tidy rows of an answer."""

    @abstractmethod
    def passes(self, params: P, role: str, rows: Sequence[Row]) -> bool:
        """Say whether the rows answer a trap rightly."""

    @abstractmethod
    def simulate(self, params: P, shown: Shown, quality: float, rng: Random) -> A:
        """Answer like a person to whom the clip passes for human with probability `quality`."""


AnyTaskType = TaskType[Any, Any]
