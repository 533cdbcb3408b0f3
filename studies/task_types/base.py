"""The base class of task types; CONTRIBUTING explains how to add one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Generic, Literal, TypedDict, TypeVar, cast, get_args

from pydantic import Field, ValidationError

from core.errors import Invalid
from core.spec import Spec, problems
from core.text.words import say
from studies.task_types._scores import CodeBreakdown as CodeBreakdown
from studies.task_types._scores import ScoreScale as ScoreScale
from studies.task_types._scores import score_sign as score_sign
from studies.task_types._scores import shown_factor as shown_factor
from studies.task_types._settings import MAIN_SETTINGS, PRACTICE_SETTINGS, TRAP_SETTINGS

P = TypeVar("P", bound=Spec)
A = TypeVar("A", bound=Spec)

TRAPS = ("trap_flawed", "trap_human")
RATED = ("test", *TRAPS)
HUMAN = "human"
# Kinds of answers for analyses: scores with a mean, ordered or unordered categories, a choice of two clips, a count
# from zero.
Measure = Literal["score", "ordered", "category", "preference", "count"]
# Content of a page: a clip, a pair of which one clip gets the score, or a screen of clips that each get one.
Shows = Literal["clip", "pair", "screen"]
# Answers about all clips of a screen by several systems.
Sets = Literal["", "best_worst", "ranking"]
# Types of settings that hold texts for raters, possibly in several languages.
PROSE = (str, tuple[str, ...])


@dataclass(frozen=True, slots=True)
class ClipFact:
    """A clip for task types; `text` is the name of its text, `is_worded` is True if its words are known.

    `prompt` is the recording whose voice was copied, 0 if it is no clip of the study; `expected` as in `PlacedClip`.
    """

    clip: int
    system: str
    role: str
    text: str = ""
    dimension: str = ""
    seconds: float = 0.0
    voice: str = ""
    is_worded: bool = True
    prompt: int = 0
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """A possible answer to a question; a distractor names the kind of error that would make a listener choose it."""

    text: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class QuestionFact:
    """A question on a text, or a golden one on general knowledge. The first option is the right one."""

    question: int
    name: str
    prompt: str
    options: tuple[Option, ...]
    text: str = ""
    golden: bool = False


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The plan of an item: its clips by place, and its cell.

    `system` is empty where the clips of several systems are compared with each other.
    """

    clips: tuple[int, ...]
    system: str
    role: str
    text: str = ""
    dimension: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem with the material, and the clip or question that it concerns."""

    reason: str
    clip: int | None = None
    question: int | None = None
    # True if it can be added to a draft after the clips; the launch needs it in any case.
    later: bool = False
    # A sentence with {number} for several such troubles; and what fixes them: "questions", "texts" or a dotted setting.
    many: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class ItemLayout:
    """The possible items of the clips, or the reasons why there are none."""

    items: tuple[ItemPlan, ...] = ()
    problems: tuple[Trouble, ...] = ()
    warnings: tuple[Trouble, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedClip:
    """A clip of an item for `draw`; `text` is its words, `expected` the right answer of a trap (`rules.expected`)."""

    system: str
    role: str
    text: str = ""
    seconds: float = 0.0
    expected: str = ""


@dataclass(frozen=True, slots=True)
class ItemContent:
    """Content of an item: its clips in order, its questions, and golden ones to mix in.

    `rater` is the same in all trials of a person: its bits choose orders that are counterbalanced between people.
    `item` is the same in all trials of an item; `repeat` is 1 if the person gets it a second time. `pass_number` counts
    the type's separate passes from 1 (`TaskType.pass_count`); 0 asks everything at once.
    """

    clips: tuple[PlacedClip, ...] = (PlacedClip("", "test"),)
    questions: tuple[QuestionFact, ...] = ()
    golden: tuple[QuestionFact, ...] = ()
    rater: int = 0
    item: int = 0
    repeat: int = 0
    pass_number: int = 0


class StoredPresentation(TypedDict):
    """A presentation as a trial stores it."""

    public: dict[str, Any]
    private: dict[str, Any]
    order: list[int]
    golden: list[int]


class Presentation(Spec):
    """The drawn content of a trial. Only `public` ever reaches a browser.

    `order` names the item's clip at each place shown; empty: as in the item. `clips` are the keys by which the browser
    knows the clip at each place; they are not stored here.
    """

    public: dict[str, Any] = {}
    private: dict[str, Any] = {}
    order: tuple[int, ...] = ()
    golden: tuple[int, ...] = ()
    clips: tuple[str, ...] = Field((), exclude=True)

    def stored(self) -> StoredPresentation:
        return cast(StoredPresentation, self.model_dump(mode="json"))


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
    """An answered trial, for rules on a rater."""

    shown: Presentation
    rows: tuple[AnswerRow, ...]


@dataclass(frozen=True, slots=True)
class Listener:
    """A simulated rater: the probability of each clip to pass for human, and their attention."""

    chances: tuple[float, ...]
    is_careful: bool = True

    @property
    def chance(self) -> float:
        return self.chances[0]


class TaskType(ABC, Generic[P, A]):
    """A kind of question. Subclasses name `Params` and `Answer` once, in their base: `TaskType[Params, Answer]`."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    label: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    score: ClassVar[ScoreScale]
    # The scales of all parts of an answer that have a mean, where there are several.
    outcomes: ClassVar[tuple[ScoreScale, ...]] = ()
    # Parts of an answer with a row for each of several choices, and the labels of their codes.
    several: ClassVar[tuple[CodeBreakdown, ...]] = ()
    options: ClassVar[int]
    measure: ClassVar[Measure] = "score"
    shows: ClassVar[Shows] = "clip"
    # True if the clips of a pair are of two systems, neither of which is a reference.
    contests: ClassVar[bool] = False
    # True if raters recognise which clip of a pair was copied: there is a right answer.
    recognises: ClassVar[bool] = False
    # The number of clips shown before those of the pair.
    leads: ClassVar[int] = 0
    sets: ClassVar[Sets] = ""
    breakdowns: ClassVar[tuple[CodeBreakdown, ...]] = ()
    # The paper with suitable tables (`analysis.papers.index`), and a short label for tables of several types.
    paper: ClassVar[str] = ""
    short: ClassVar[str] = ""
    # True if traps can be mixed among the items, and the roles that an answer can fail; True if texts have questions.
    traps: ClassVar[bool] = True
    trap_roles: ClassVar[tuple[str, ...]] = TRAPS
    asks: ClassVar[bool] = False
    # True if raters and utterances can be counted by system and benchmark; True if answers have comments.
    has_quotas: ClassVar[bool] = False
    has_comments: ClassVar[bool] = False
    # Dotted settings shown first on Design, unless a preset names its own; all others are folded away.
    main_settings: ClassVar[tuple[str, ...]] = MAIN_SETTINGS
    # Name of a rule that can exclude all answers of a rater in a study; used in exports.
    rule: ClassVar[str] = ""
    rule_ends_session: ClassVar[bool] = False
    # The preset of a type without a preset file.
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

    def of(self, raw: Mapping[str, Any]) -> AnyTaskType:
        """Return the type with what depends on a study's parameters, such as the score; by default, nothing does."""
        return self

    def params(self, raw: Mapping[str, Any]) -> P:
        """Validate the parameters of a study; raise `Invalid` by field."""
        try:
            return self.Params.model_validate(raw)
        except ValidationError as error:
            raise Invalid("Some parameters of the task are not valid.", problems(error.errors())) from error

    def prompts(self) -> tuple[str, ...]:
        """Return the names of parameters with texts for raters, which can be translated."""
        return tuple(name for name, info in self.Params.model_fields.items() if info.annotation in PROSE)

    def texts(self, params: P) -> dict[str, str | tuple[str, ...]]:
        """Return the texts for raters that can be translated, by the name of their parameter."""
        return {name: getattr(params, name) for name in self.prompts()}

    def with_texts(self, raw: Mapping[str, Any], texts: Mapping[str, Any]) -> dict[str, Any]:
        """Return parameters with these texts, some of `texts`."""
        return {**raw, **texts}

    def plays(self, params: P) -> int:
        """Return how often each clip must be heard before the whole answer is there."""
        return 1

    def pass_count(self, params: P) -> int:
        """Return how often a rater goes through the clips of a batch: each pass asks another part of the answer."""
        return 1

    def answer(self, raw: Mapping[str, Any]) -> A:
        """Validate the form of an answer; raise `Invalid` by field."""
        try:
            return self.Answer.model_validate(raw)
        except ValidationError as error:
            raise Invalid("Some parts of the answer are not valid.", _problems(error)) from error

    def reason(self, answer: A) -> str:
        """Return the written justification, if this task asks for one."""
        return str(getattr(answer, "reason", ""))

    def balances_sides(self, params: P) -> bool:
        """Return whether the last two clips are swapped where a rater would hear one system first too often."""
        return False

    def asks_reason(self, params: P) -> bool:
        """Return whether there is a field for a reason."""
        return "reason" in self.Answer.model_fields and bool(getattr(params, "ask_reason", True))

    def offered(self, params: P) -> tuple[str, ...]:
        """Return the answers that raters choose from, as they read them; empty if an answer is a number or text."""
        return tuple(self.score.codes.values())

    def activity(self, params: P) -> tuple[str, ...]:
        """Describe the rater's work on each page after listening, in whole sentences of `say`."""
        return ()

    def asked(self, params: P) -> str:
        """Describe the rater's task before consent, in one sentence of `say`."""
        return say("Listen to recordings of speech and answer a question about each of them.")

    def text_flags(self, params: P, body: str) -> tuple[tuple[str, str], ...]:
        """Return (code, detail) for each reason why a text may not suit the task; `corpus.words` has the sentences."""
        return ()

    def seconds_a_clip(self, params: P) -> float:
        """Return the seconds added to a clip's duration; of a pair, to both durations together.

        With separate passes, a clip takes the mean over them in each. The papers' figures include listening to clips of
        unreported length, so the sum is an upper estimate (docs/design.md).

        Used to propose the minutes of a session, and to predict loading on a slow connection. The default is that of a
        choice of two: HFR paper, Table 5.
        """
        return 24.30

    def unused_settings(self) -> frozenset[str]:
        """Return the settings that have no effect with this type: dotted, or the name of a whole group."""
        has_reason = "reason" in self.Answer.model_fields
        unused: list[str] = []
        unused += [] if self.traps else TRAP_SETTINGS
        unused += [] if self.asks else ("protocol.golden_share", "protocol.most_ratings")
        unused += [] if self.has_quotas else ("protocol.quota_raters", "protocol.quota_utterances")
        unused += [] if self.shows == "clip" else ("protocol.human_share", *PRACTICE_SETTINGS)
        unused += [] if has_reason else ("review", "texts.good_reasons", "texts.poor_reasons")
        unused += [] if has_reason or self.has_comments else ("coding",)
        return frozenset(unused)

    def layout(self, params: P, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        """Make items of clips; by default, each rated clip is an item."""
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
        """Draw the presentation of a trial: order and options."""

    @abstractmethod
    def problems(self, params: P, shown: Presentation, answer: A) -> dict[str, str]:
        """Return the problems of an answer by field; empty if it may be stored."""

    @abstractmethod
    def rows(self, params: P, shown: Presentation, answer: A) -> list[AnswerRow]:
        """Return the tidy rows of an answer."""

    def passes(self, params: P, role: str, rows: Sequence[AnswerRow]) -> bool:
        """Return whether the rows answer a trap correctly; only called for types with traps."""
        raise TypeError(f"{self.name} knows no traps.")

    def is_judged(self, params: P, rows: Sequence[AnswerRow]) -> bool:
        """True if the rows of a trap have what `passes` judges; with separate passes, that part may be skipped."""
        return True

    def guessed(self, role: str) -> float:
        """Return the probability that an answer at random passes a trap of this role."""
        return 1 / self.options

    def trusts(self, params: P, sheets: Sequence[Sheet]) -> bool:
        """True if a rater's answers may be used by the type's `rule`."""
        return True

    @abstractmethod
    def simulate(self, params: P, shown: Presentation, listener: Listener, rng: Random) -> A:
        """Return a simulated rater's answer."""


def _problems(error: ValidationError) -> dict[str, str]:
    """Return the problems of an answer by field; those a rater can cause are translated."""
    too_long = {
        ".".join(map(str, each["loc"])): say("Please write at most {most} characters.", most=each["ctx"]["max_length"])
        for each in error.errors()
        if each["type"] == "string_too_long"
    }
    return problems(error.errors()) | too_long


AnyTaskType = TaskType[Any, Any]
