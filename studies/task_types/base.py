"""What a task type must say about itself; see CONTRIBUTING for how to add one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

from pydantic import Field, ValidationError

from core.errors import Invalid
from core.spec import Spec, problems

P = TypeVar("P", bound=Spec)
A = TypeVar("A", bound=Spec)

TRAPS = ("trap_flawed", "trap_human")
RATED = ("test", *TRAPS)
HUMAN = "human"
# How analyses take answers: as scores with a mean, as categories in an order or in none, as a choice of two clips, as
# a count from zero.
Measure = Literal["score", "ordered", "category", "preference", "count"]
# What stands on a page: a clip, a pair of which one clip gets the score, or a screen of clips that each get one.
Shows = Literal["clip", "pair", "screen"]
# What researchers write in their own words, and may write in several languages.
PROSE = (str, tuple[str, ...])


@dataclass(frozen=True, slots=True)
class ClipFact:
    """A clip as a task type sees it; `text` is the name of its text, and `is_worded` whether the words are known."""

    clip: int
    system: str
    role: str
    text: str = ""
    dimension: str = ""
    seconds: float = 0.0
    voice: str = ""
    is_worded: bool = True


@dataclass(frozen=True, slots=True)
class Option:
    """A possible answer to a question; a distractor names the kind of error that would make a listener choose it."""

    text: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class QuestionFact:
    """A question on a text, or a golden one on nothing but general knowledge. The first option is the right one."""

    question: int
    name: str
    prompt: str
    options: tuple[Option, ...]
    text: str = ""
    golden: bool = False


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """What one trial will ask about: clips by place, and the cell it belongs to.

    `system` is empty where the clips of several systems are compared with each other.
    """

    clips: tuple[int, ...]
    system: str
    role: str
    text: str = ""
    dimension: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with the material, and the clip or question whose row tells where."""

    reason: str
    clip: int | None = None
    question: int | None = None


@dataclass(frozen=True, slots=True)
class ItemLayout:
    """The items that the clips allow, or why they allow none."""

    items: tuple[ItemPlan, ...] = ()
    problems: tuple[Trouble, ...] = ()
    warnings: tuple[Trouble, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedClip:
    """A clip of an item, as `draw` may know it; `text` is what is said, in words."""

    system: str
    role: str
    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ItemContent:
    """An item about to be shown: its role, its clips in order, its questions, and golden ones to mix among them.

    `rater` is the same in all trials of a person: orders that are counterbalanced between people go by its bits.
    """

    role: str
    clips: tuple[PlacedClip, ...] = (PlacedClip("", "test"),)
    questions: tuple[QuestionFact, ...] = ()
    golden: tuple[QuestionFact, ...] = ()
    rater: int = 0


class Presentation(Spec):
    """What was drawn for one trial. Only `public` ever reaches a browser.

    `order` names the item's clip at each place shown; empty: as in the item. `clips` are the keys by which the browser
    knows the clip at each place; they are not stored here.
    """

    public: dict[str, Any] = {}
    private: dict[str, Any] = {}
    order: tuple[int, ...] = ()
    golden: tuple[int, ...] = ()
    clips: tuple[str, ...] = Field((), exclude=True)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One tidy row of an answer: which part, its canonical code, its number, and the clip and question it is about."""

    part: str
    code: str
    value: float | None
    place: int | None = 0
    question: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """An answered trial as a rule on the rater sees it."""

    shown: Presentation
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody simulated: with what probability the clip at each place passes for human, and whether they care."""

    chances: tuple[float, ...]
    is_careful: bool = True

    @property
    def chance(self) -> float:
        return self.chances[0]


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The number that pages, power and reports read from the rows."""

    name: str
    low: float
    high: float
    unit: str
    part: str
    codes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CodeBreakdown:
    """A table of how often codes of a part were given: percent of all usable answers, or of the rows of part `per`.

    `merged` adds lines that count several codes as one.
    """

    title: str
    part: str
    labels: Mapping[str, str]
    per: str = ""
    merged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class TaskType(ABC, Generic[P, A]):
    """A kind of question. Subclasses name `Params` and `Answer` once, in their base: `TaskType[Params, Answer]`."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    label: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    score: ClassVar[ScoreScale]
    options: ClassVar[int]
    measure: ClassVar[Measure] = "score"
    shows: ClassVar[Shows] = "clip"
    breakdowns: ClassVar[tuple[CodeBreakdown, ...]] = ()
    # The paper whose tables suit it (`analysis.papers.index`), and what tables of several types call it: else its name.
    paper: ClassVar[str] = ""
    short: ClassVar[str] = ""
    # Whether trap clips can be mixed among the items, and whether each text comes with questions.
    traps: ClassVar[bool] = True
    asks: ClassVar[bool] = False
    # A rule on all that a rater answered in a study, by which none of it may be used; exports name it.
    rule: ClassVar[str] = ""
    rule_ends_session: ClassVar[bool] = False
    # A type without a preset of its own is offered with these.
    summary: ClassVar[str] = ""
    instructions: ClassVar[str] = ""
    protocol: ClassVar[Mapping[str, Any]] = {}

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

    def prompts(self) -> tuple[str, ...]:
        """Name the parameters that raters read in their language: the ones in the researcher's own words."""
        return tuple(name for name, info in self.Params.model_fields.items() if info.annotation in PROSE)

    def answer(self, raw: Mapping[str, Any]) -> A:
        """Validate the shape of what the rater sent; raises `Invalid` naming each field."""
        try:
            return self.Answer.model_validate(raw)
        except ValidationError as error:
            raise Invalid("The answer needs a change.", problems(error.errors())) from error

    def reason(self, answer: A) -> str:
        """Return the written justification, if this task asks for one."""
        return str(getattr(answer, "reason", ""))

    def asks_reason(self, params: P) -> bool:
        """Say whether there is a field for it."""
        return "reason" in self.Answer.model_fields and bool(getattr(params, "ask_reason", True))

    def layout(self, params: P, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        """Make items of clips; by default each rated clip is an item of its own."""
        return ItemLayout(
            tuple(
                ItemPlan((clip.clip,), clip.system, clip.role, clip.text, clip.dimension)
                for clip in clips
                if clip.role in RATED
            )
        )

    def anchors(self, params: P) -> tuple[int, ...]:
        """Return the cut-offs in Hz of the low-pass anchors that an import makes of each reference."""
        return ()

    @abstractmethod
    def draw(self, params: P, item: ItemContent, rng: Random) -> Presentation:
        """Draw what varies from trial to trial: order, options."""

    @abstractmethod
    def problems(self, params: P, shown: Presentation, answer: A) -> dict[str, str]:
        """Say what is wrong with an answer, by field; empty when it may be stored."""

    @abstractmethod
    def rows(self, params: P, shown: Presentation, answer: A) -> list[AnswerRow]:
        """Return the tidy rows of an answer."""

    def passes(self, params: P, role: str, rows: Sequence[AnswerRow]) -> bool:
        """Say whether the rows answer a trap rightly; never asked of a type without traps."""
        raise TypeError(f"{self.name} knows no traps.")

    def trusts(self, params: P, sheets: Sequence[Sheet]) -> bool:
        """Say whether a rater's answers so far may be used, by the type's own `rule`."""
        return True

    @abstractmethod
    def simulate(self, params: P, shown: Presentation, listener: Listener, rng: Random) -> A:
        """Answer like this person."""


AnyTaskType = TaskType[Any, Any]
