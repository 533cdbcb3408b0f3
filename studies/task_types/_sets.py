"""The shape of tasks that compare several clips of one text at once: sets of systems, and answers about their clips."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil, comb
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints

from core.spec import Spec, labels
from core.text.words import say
from studies.task_types.base import (
    AnswerRow,
    ClipFact,
    CodeBreakdown,
    ItemContent,
    ItemLayout,
    ItemPlan,
    Listener,
    Presentation,
    QuestionFact,
    ScoreScale,
    Sets,
    TaskType,
    Trouble,
)

Key = Annotated[str, StringConstraints(max_length=64)]
MOST = 8
CHOICES = {"best": "Best", "neither": "Neither", "worst": "Worst"}
VALUES = {"best": 1.0, "neither": 0.0, "worst": -1.0}
RANKS = {str(rank): f"Rank {rank}" for rank in range(1, MOST + 1)}
# Sets for each clip of a text with more systems than a set has (Kiritchenko and Mohammad 2017: 1.5 to 2).
SETS_PER_CLIP = 1.5
# Of simulated listeners, in standard deviations of what they hear: how far a certain difference is.
SPREAD = 4.0


class Params(Spec):
    """The researcher's settings."""

    question: str = Field(
        "Which clip sounds best, and which sounds worst?",
        min_length=1,
        max_length=300,
        description="Asked above the clips.",
    )
    answer: Literal["best_worst", "ranking"] = Field(
        "best_worst",
        title="Answers",
        description="Whether raters choose the best and the worst clip of a set, or remove the worst until one is "
        "left.",
        json_schema_extra=labels(best_worst="The best and the worst clip", ranking="A ranking of all clips"),
    )
    size: int = Field(
        4,
        ge=3,
        le=MOST,
        title="Clips in a set",
        description="How many clips of one text raters compare at a time. If there are more systems, each text has "
        "several sets, in which all systems meet about equally often.",
    )
    ask_reason: bool = Field(False, title="Field for a reason", description="Offer an optional field for a reason.")
    reason_question: str = Field(
        "What made you decide?", min_length=1, max_length=300, description="Asked above the reason."
    )


class Answer(Spec):
    """The keys of all clips of the set, best first; or of the best and the worst only."""

    order: list[Key] = Field(max_length=MOST)
    reason: str = Field("", max_length=4000)


class BestWorst(TaskType[Params, Answer]):
    """Which of several clips is best, and which is worst? One row for each clip of the set."""

    columns = ("choice",)
    options = len(CHOICES)
    shows = "screen"
    sets: ClassVar[Sets] = "best_worst"
    score = ScoreScale("Best–worst", -1.0, 1.0, "", "choice", CHOICES, "best")
    breakdowns = (CodeBreakdown("Choices", "choice", CHOICES),)
    traps = False
    main_settings = (
        "task.answer",
        "task.size",
        "protocol.ratings_wanted",
        "protocol.tests_per_batch",
        "protocol.batches_per_session",
        "screening.headphones",
        "crowd.source",
        "payment.rate",
        "payment.minutes",
    )
    # The fewest systems of a set.
    least: ClassVar[int] = 3

    def activity(self, params: Params) -> tuple[str, ...]:
        return (self.work(), *((say("May write what decided it."),) if params.ask_reason else ()))

    def work(self) -> str:
        return say("Says which clip of a set is best and which is worst.")

    def asked(self, params: Params) -> str:
        return say("Listen to a few clips at a time and say which of them is best and which is worst.")

    def layout(self, params: Params, clips: Sequence[ClipFact], questions: Sequence[QuestionFact] = ()) -> ItemLayout:
        """Form sets of the clips of a text: one of all its systems, or several that share them evenly."""
        texts, others = _by_text([clip for clip in clips if clip.role == "test"], self.least)
        if not texts:
            reason = say("No text has clips by {least} systems to compare.", least=self.least)
            return ItemLayout(problems=(Trouble(reason),) if others else ())
        reason = say("Its text has no clips by {least} systems to compare: it is left out.", least=self.least)
        plans = (
            ItemPlan(tuple(clip.clip for clip in chosen), "", "test", chosen[0].text, chosen[0].dimension)
            for chosen in _sets(texts, params.size)
        )
        return ItemLayout(tuple(plans), warnings=tuple(Trouble(reason, clip.clip) for clip in others))

    def draw(self, params: Params, item: ItemContent, rng: Random) -> Presentation:
        order = list(range(len(item.clips)))
        rng.shuffle(order)
        return Presentation(order=tuple(order))

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        chosen = set(answer.order)
        if not chosen <= set(shown.clips):
            return {"order": say("There is no such clip to choose.")}
        if len(answer.order) != 2 or len(chosen) != 2:
            return {"order": say("Please choose the best and the worst clip.")}
        return {}

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        best, worst = answer.order
        codes = [{best: "best", worst: "worst"}.get(key, "neither") for key in shown.clips]
        return [AnswerRow("choice", code, VALUES[code], place) for place, code in enumerate(codes)]

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        ranked = _ranked(shown, listener, rng)
        return Answer(order=[ranked[0], ranked[-1]])


class Ranking(BestWorst):
    """In which order are several clips better?

    The score is the share of the set's other clips that rank below, so that sets of different sizes have one scale.
    """

    columns = ("rank",)
    options = len(RANKS)
    sets = "ranking"
    measure = "ordered"
    score = ScoreScale("Clips outranked", 0.0, 1.0, "%", "rank", RANKS)
    breakdowns = (CodeBreakdown("Ranks", "rank", RANKS),)
    least = 2

    def work(self) -> str:
        return say("Ranks the clips of a set: removes the worst until one is left.")

    def asked(self, params: Params) -> str:
        return say("Listen to a few clips at a time and rank them from best to worst.")

    def problems(self, params: Params, shown: Presentation, answer: Answer) -> dict[str, str]:
        return {} if sorted(answer.order) == sorted(shown.clips) else {"order": say("Please rank every clip.")}

    def rows(self, params: Params, shown: Presentation, answer: Answer) -> list[AnswerRow]:
        others = len(answer.order) - 1
        ranks = [answer.order.index(key) for key in shown.clips]
        return [AnswerRow("rank", str(rank + 1), (others - rank) / others, place) for place, rank in enumerate(ranks)]

    def simulate(self, params: Params, shown: Presentation, listener: Listener, rng: Random) -> Answer:
        return Answer(order=_ranked(shown, listener, rng))


def _ranked(shown: Presentation, listener: Listener, rng: Random) -> list[str]:
    """Return the keys of the clips as a simulated listener hears them, best first."""
    heard = [(SPREAD * chance * listener.is_careful) + rng.gauss(0, 1) for chance in listener.chances]
    return [key for _sound, key in sorted(zip(heard, shown.clips, strict=True), reverse=True)]


def _by_text(clips: Sequence[ClipFact], least: int) -> tuple[list[dict[str, ClipFact]], list[ClipFact]]:
    """Return {system: clip} for each text and voice with enough systems, and the clips of all others."""
    cells = [(clip.text, clip.system) for clip in clips]
    by_voice = len(cells) > len(set(cells))
    texts: dict[tuple[str, str], dict[str, ClipFact]] = defaultdict(dict)
    for clip in clips:
        texts[clip.text, clip.voice if by_voice else ""].setdefault(clip.system, clip)
    enough = [by_system for (text, _voice), by_system in texts.items() if text and len(by_system) >= least]
    used = {clip.clip for by_system in enough for clip in by_system.values()}
    return enough, [clip for clip in clips if clip.clip not in used]


def _sets(texts: Sequence[Mapping[str, ClipFact]], size: int) -> Iterator[list[ClipFact]]:
    """Yield sets of systems that met least so far, then of those used least; a set is formed once a text."""
    used: Counter[str] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    for by_system in texts:
        systems = sorted(by_system)
        wanted = 1 if len(systems) <= size else min(ceil(SETS_PER_CLIP * len(systems)), comb(len(systems), size))
        formed: set[tuple[str, ...]] = set()
        for _set in range(wanted):
            chosen = _next_set(systems, size, used, met)
            used.update(chosen)
            met.update(combinations(chosen, 2))
            formed.add(chosen)
        yield from ([by_system[system] for system in chosen] for chosen in sorted(formed))


def _next_set(
    systems: Sequence[str], size: int, used: Mapping[str, int], met: Mapping[tuple[str, str], int]
) -> tuple[str, ...]:
    chosen: list[str] = []
    while len(chosen) < min(size, len(systems)):
        meetings = {
            system: sum(met[min(system, other), max(system, other)] for other in chosen)
            for system in systems
            if system not in chosen
        }
        chosen.append(min(meetings, key=lambda system: (meetings[system], used[system], system)))
    return tuple(sorted(chosen))


VARIANTS: Mapping[Any, type[BestWorst]] = {"best_worst": BestWorst, "ranking": Ranking}
