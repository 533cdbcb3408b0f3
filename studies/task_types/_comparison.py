"""The shape of tasks that compare the clips of two systems: pairs, sides, and the answers about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Annotated, Any, ClassVar, Literal
from zlib import crc32

from pydantic import Field, StringConstraints, model_validator

from core.spec import Spec, labels
from core.text.words import say
from studies.task_types._pairs import incomplete
from studies.task_types.base import (
    HUMAN,
    TRAPS,
    AnswerRow,
    ClipFact,
    CodeBreakdown,
    ItemContent,
    ItemLayout,
    ItemPlan,
    Listener,
    Measure,
    Presentation,
    QuestionFact,
    ScoreScale,
    TaskType,
    Trouble,
)
from studies.task_types.cmos import NAMES as GRADES

Texts = Mapping[tuple[str, str], Mapping[str, ClipFact]]
PREFERENCES = {"preferred": "Preferred", "tie": "No preference", "other": "The other preferred"}
OFFERED = {
    "forced": "A or B",
    "tie": "A, B or no preference",
    "graded": "From “A is much better” to “B is much better”",
    "same": "Same or different",
}
# Of simulated listeners, in the steps of a graded answer: how far a certain difference lies, and how much they vary.
SPREAD, NOISE = 4.0, 0.7
# Below this they have no preference.
UNDECIDED = 0.5


class Question(Spec):
    """One more question about a pair."""

    name: str = Field(
        min_length=1,
        max_length=30,
        pattern=r"^[A-Za-z][A-Za-z0-9_-]*$",
        description="Short name in tables, such as Noise. In lower case, it is the column “part” of the export.",
    )
    question: str = Field(min_length=1, max_length=300, description="Asked above the answers.")

    @property
    def part(self) -> str:
        """The name of its rows."""
        return self.name.lower()


class Params(Spec):
    """What the researcher sets."""

    question: str = Field(
        "Which of the two sounds better?", min_length=1, max_length=300, description="Asked above the answers."
    )
    answer: Literal["forced", "tie", "graded", "same"] = Field(
        "forced",
        title="Answers",
        description="Whether raters must choose one of the two, may have no preference, say how much better it is, or "
        "say whether the two are the same. In the latter case, half of the pairs are identical.",
        json_schema_extra=labels(**OFFERED),
    )
    pairs: Literal["baseline", "all", "incomplete"] = Field(
        "baseline",
        title="Pairs",
        description="Which systems are compared: each with the baseline, all with each other, or, of many systems, "
        "each with one other per text. From text to text the pairs change, so that all meet about equally often.",
        json_schema_extra=labels(
            baseline="Each system with the baseline",
            all="All pairs of systems",
            incomplete="One other system per text, in turn",
        ),
    )
    baseline: str | None = Field(
        None,
        max_length=100,
        title="Baseline",
        description="The system with which the others are compared. Leave empty for the human recordings, or, where "
        "there are none and two systems, for the first in the alphabet.",
    )
    reference: Literal["none", "text", "prompt", "copy"] = Field(
        "none",
        title="Recording X",
        description="A third recording, X, with which raters compare both clips. After a reference of the same text or "
        "another recording of the same speaker, they say which clip is closer to X; a copy of one of the two they "
        "recognise, and there is a right answer.",
        json_schema_extra=labels(
            none="None",
            text="A reference of the same text",
            prompt="A recording of the same speaker (role prompt)",
            copy="A copy of one of the two (ABX)",
        ),
    )
    more: tuple[Question, ...] = Field(
        (),
        max_length=8,
        title="More questions",
        description="Asked after the first question about the same pair, in an order shuffled for each rater. Each is "
        "a result of its own.",
    )
    ask_reason: bool = Field(False, title="Field for a reason", description="Offer an optional field for a reason.")
    reason_question: str = Field(
        "What made you decide?", min_length=1, max_length=300, description="Asked above the reason."
    )

    @model_validator(mode="after")
    def copies_have_a_right_answer(self) -> Params:
        if self.reference == "copy" and self.answer != "forced":
            raise ValueError(say("X is a copy of A or B, so raters choose one of them: set the answers to “A or B”"))
        if self.reference == "copy" and self.pairs != "baseline":
            raise ValueError(
                say("copies are recognised of each system and the baseline: set the pairs to the baseline")
            )
        if self.answer == "same" and (self.reference != "none" or self.pairs != "baseline"):
            raise ValueError(
                say(
                    "two clips are the same or different without a recording X: set it to “None”, and the pairs to the "
                    "baseline"
                )
            )
        return self

    @model_validator(mode="after")
    def questions_fit(self) -> Params:
        parts = ["preference", *(each.part for each in self.more)]
        if len(parts) > len(set(parts)):
            raise ValueError(say("two questions have the same name, or one is called “preference”"))
        if self.more and (self.answer not in ("forced", "tie") or self.reference == "copy"):
            raise ValueError(say("more questions go only with the answers “A or B” and “A, B or no preference”"))
        return self


Step = Annotated[int, Field(strict=True, ge=-3, le=3)]


class Answer(Spec):
    """What the rater submits: B is better (positive), A is better (negative) or neither; by part for more questions."""

    preference: Step
    more: dict[Annotated[str, StringConstraints(max_length=40)], Step] = Field({}, max_length=20)
    reason: str = Field("", max_length=4000)


class Comparison(TaskType[Params, Answer]):
    """Which of two is better? Rows are about the item's first clip: the system that isn't the baseline."""

    columns: ClassVar[tuple[str, ...]] = ("preference",)
    shows = "pair"
    contests = True
    measure: ClassVar[Measure] = "preference"
    options = 2
    score = ScoreScale("A/B", 0.0, 1.0, "%", "preference", PREFERENCES)
    breakdowns: ClassVar[tuple[CodeBreakdown, ...]] = (CodeBreakdown("Preferences", "preference", PREFERENCES),)
    traps = False
    trap_roles: ClassVar[tuple[str, ...]] = ("trap_flawed",)
    main_settings = (
        "task.answer",
        "task.pairs",
        "task.baseline",
        "protocol.ratings_wanted",
        "protocol.tests_per_batch",
        "protocol.batches_per_session",
        "screening.headphones",
        "crowd.source",
        "payment.rate",
        "payment.minutes",
    )
    # Answers from A to B, as the rater sees them.
    answers: tuple[int, ...] = (-1, 1)

    def offered(self, params: Params) -> tuple[str, ...]:
        return (OFFERED[params.answer],)

    def activity(self, params: Params) -> tuple[str, ...]:
        if params.reference != "none":
            first = say("Says which clip of a pair is closer to a third one.")
        elif params.answer == "graded":
            first = say("Says which clip of a pair sounds better, and by how much.")
        else:
            first = say("Says which clip of a pair sounds better.")
        return (first, *((say("May write what decided it."),) if params.ask_reason else ()))

    def asked(self, params: Params) -> str:
        if params.reference != "none":
            return say("Listen to three clips at a time and say which of two is closer to the third.")
        return say("Listen to two clips at a time and say which of them sounds better.")

    def balances_sides(self, params: Params) -> bool:
        return True

    def layout(self, params: Params, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        """Pair the clips of a text; of several by one system, those in the same voice."""
        tests = [clip for clip in clips if clip.role == "test"]
        systems = sorted({clip.system for clip in tests})
        if len(systems) < 2:
            return ItemLayout(problems=(Trouble(say("There are no two systems to compare.")),) if tests else ())
        baseline = _baseline(params, systems) if params.pairs == "baseline" else ""
        if baseline is None or (baseline and baseline not in systems):
            reason = say(
                "The baseline with which all systems are compared has no clips: name one of {systems} in the task’s "
                "settings, or compare all pairs.",
                systems=", ".join(systems),
            )
            return ItemLayout(problems=(Trouble(reason),))
        texts = _by_text(tests)
        pairs = list(_pairs(texts, systems, baseline, is_incomplete=params.pairs == "incomplete"))
        paired = {clip.clip for pair in pairs for clip in pair}
        if params.pairs == "incomplete":
            # Of an odd number of systems, one rests in each text.
            paired |= {clip.clip for by_system in texts.values() if len(by_system) > 1 for clip in by_system.values()}
        alone = tuple(_alone(clip) for clip in tests if clip.clip not in paired)
        if not pairs:
            return ItemLayout(problems=alone)
        plans = (ItemPlan((one.clip, other.clip), one.system, "test", one.text, one.dimension) for one, other in pairs)
        return ItemLayout(tuple(plans), warnings=alone)

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        """Draw the sides: of an item, half of the raters hear either first.

        A repeat has them the other way round, so that always choosing the same side doesn't look reliable.
        """
        is_swapped = (crc32(f"{item.item}".encode()) + item.rater + item.repeat) % 2
        sides = (1, 0) if is_swapped else (0, 1)
        # X comes first.
        return Presentation(order=(2, *sides) if self.leads else sides)

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        return {} if answer.preference in self.answers else {"preference": say("Please choose one of the answers.")}

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        place = shown.order.index(0)
        is_second = place > shown.order.index(1)
        return [self.row(answer.preference if is_second else -answer.preference, place)]

    def row(self, better: int, place: int) -> AnswerRow:
        """Return the row of an answer in favour of the item's first clip, or against it."""
        code = "preferred" if better > 0 else "other" if better < 0 else "tie"
        return AnswerRow("preference", code, {"preferred": 1.0, "tie": 0.5, "other": 0.0}[code], place)

    def side(self, row: AnswerRow) -> int:
        """Return 1 for a row in favour of the item's first clip, -1 for one against it, and 0 without preference."""
        middle = (self.score.low + self.score.high) / 2
        return 0 if row.value is None or row.value == middle else 1 if row.value > middle else -1

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        if not listener.is_careful:
            return Answer(preference=rng.choice(self.answers))
        *_x, first, second = listener.chances
        return Answer(preference=self.nearest(rng.gauss(SPREAD * (second - first), NOISE)))

    def nearest(self, felt: float) -> int:
        """Return the answer for a difference, in steps of a graded answer."""
        if 0 in self.answers and abs(felt) < UNDECIDED:
            return 0
        return 1 if felt > 0 else -1


class WithTies(Comparison):
    """A, B or no preference."""

    options = 3
    answers = (-1, 0, 1)
    trap_roles = TRAPS


class Graded(Comparison):
    """From much worse to much better."""

    options = len(GRADES)
    measure = "score"
    score = ScoreScale("CMOS", -3.0, 3.0, "", "preference", GRADES)
    breakdowns = (CodeBreakdown("Preferences", "preference", GRADES),)
    answers = (-3, -2, -1, 0, 1, 2, 3)
    trap_roles = TRAPS

    def row(self, better: int, place: int) -> AnswerRow:
        return AnswerRow("preference", f"{better:+d}" if better else "0", float(better), place)

    def nearest(self, felt: float) -> int:
        return min(3, max(-3, round(felt)))


def _baseline(params: Params, systems: Sequence[str]) -> str | None:
    if params.baseline:
        return params.baseline
    if HUMAN in systems:
        return HUMAN
    return systems[0] if len(systems) == 2 else None


def _alone(clip: ClipFact) -> Trouble:
    if not clip.text:
        reason = say(
            "A clip of {system} names no text, so it is compared with no other: it is left out.", system=clip.system
        )
    else:
        reason = say(
            "The clip of {system} on the text “{text}” has no other clip to be compared with: it is left out.",
            system=clip.system,
            text=clip.text,
        )
    return Trouble(reason, clip.clip)


def _by_text(clips: Sequence[ClipFact]) -> Texts:
    """Return {(text, voice): {system: clip}}; the voice is empty unless a system has several clips of a text."""
    cells = [(clip.text, clip.system) for clip in clips]
    by_voice = len(cells) > len(set(cells))
    texts: dict[tuple[str, str], dict[str, ClipFact]] = defaultdict(dict)
    for clip in clips:
        if clip.text:
            # Of several takes, the first.
            texts[clip.text, clip.voice if by_voice else ""].setdefault(clip.system, clip)
    return texts


def _pairs(
    texts: Texts, systems: Sequence[str], baseline: str, *, is_incomplete: bool = False
) -> Iterator[tuple[ClipFact, ClipFact]]:
    """Yield pairs, the baseline second; of all pairs, each system is first as often as second."""
    every = [[*combinations([system for system in systems if system in by_system], 2)] for by_system in texts.values()]
    chosen = incomplete(list(texts.values()), systems) if is_incomplete else every
    for number, (by_system, pairs) in enumerate(zip(texts.values(), chosen, strict=True)):
        for one, other in pairs:
            if baseline:
                if baseline in (one, other):
                    yield by_system[other if one == baseline else one], by_system[baseline]
                continue
            is_turned = (number + systems.index(one) + systems.index(other)) % 2
            yield (by_system[other], by_system[one]) if is_turned else (by_system[one], by_system[other])


VARIANTS: Mapping[Any, type[Comparison]] = {"forced": Comparison, "tie": WithTies, "graded": Graded}
