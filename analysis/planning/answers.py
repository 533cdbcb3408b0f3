"""The scores that a task's answers give, learnt by running its own `simulate` on clips of every quality."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from core.rng import seeded
from core.spec import Spec
from studies.task_types.base import (
    AnyTaskType,
    ClipFact,
    ItemContent,
    Listener,
    Option,
    PlacedClip,
    QuestionFact,
)

if TYPE_CHECKING:
    import numpy as np

    from analysis.stats.design import Floats
    from analysis.stats.latent import Curve

GRADES = 41
TRIES = 250
TEXT, ASKED, OTHER, REFERENCE, PROMPT, MORE = "text", 1, 2, 3, 100, 200
SECONDS = 5.0
SPOKEN = "The words of a clip, of which listeners write down what they heard."
# The probability that a clip shown next to the rated one passes for human, by its role.
BESIDE = {"test": 0.5, "reference": 0.9, "anchor": 0.1, "prompt": 0.9}
OPTIONS = (Option("Seven"), Option("Eleven", "phonetic"), Option("A dozen", "semantic"))


@dataclass(frozen=True, slots=True)
class ScoreSamples:
    """Scores (g, t) of t answers to a clip that passes for human with probability `grades` (g,)."""

    grades: Floats
    scores: Floats

    def __call__(self, quality: float, rng: np.random.Generator) -> float:
        """Return the score of one answer, drawn from those at the nearest grade."""
        at = round(quality * (len(self.grades) - 1))
        return float(self.scores[at, int(rng.random() * self.scores.shape[1])])

    @property
    def curve(self) -> Curve:
        from analysis.stats.latent import Curve

        return Curve(self.grades, self.scores.mean(axis=1), self.scores.var(axis=1))


def is_shared(kind: AnyTaskType, params: Spec) -> bool:
    """True if one item holds a clip of every system, like a MUSHRA screen."""
    item, _asked, _chances = test_item(kind, params)
    return sum(placed.role == "test" for placed in item.clips) > 1


def rates_reference(kind: AnyTaskType, params: Spec) -> bool:
    """True if raters also rate the reference, hidden among the clips, as in MUSHRA."""
    item, _asked, chances = test_item(kind, params)
    places = {place for place, _value in _rated(kind, params, item, chances, seeded("rated"))}
    return any(item.clips[place].role == "reference" for place in places if place is not None)


def learn(kind: AnyTaskType, params: Spec, rng: Random) -> ScoreSamples:
    """Simulate careful listeners who rate one clip among those that this task shows with it; takes about a second."""
    import numpy as np

    item, rated_place, chances = test_item(kind, params)
    grades = np.linspace(0.0, 1.0, GRADES)
    scores = [
        [_score(kind, params, item, {**chances, rated_place: float(grade)}, rated_place, rng) for _ in range(TRIES)]
        for grade in grades
    ]
    return ScoreSamples(grades, np.asarray(scores, dtype=np.float64))


def test_item(kind: AnyTaskType, params: Spec) -> tuple[ItemContent, int, dict[int, float]]:
    """Return an item of this task, the index of its rated clip, and {index: probability to pass for human}."""
    other = (getattr(params, "baseline", None) or "alpha") if getattr(params, "pairs", "") == "baseline" else "alpha"
    clips = [
        ClipFact(ASKED, "beta" if other != "beta" else "gamma", "test", TEXT, "", SECONDS, "a", prompt=PROMPT),
        ClipFact(OTHER, other, "test", TEXT, "", SECONDS, "b", prompt=PROMPT),
        *(
            ClipFact(MORE + number, f"other {number}", "test", TEXT, "", SECONDS)
            for number in range(params.model_dump()["size"] - 2 if kind.sets else 0)
        ),
        ClipFact(PROMPT, "human", "prompt", "another text", "", SECONDS),
        ClipFact(REFERENCE, "human", "reference", TEXT, "", SECONDS, "h"),
        *(
            ClipFact(REFERENCE + number, f"anchor {hertz / 1000:g} kHz", "anchor", TEXT, "", SECONDS)
            for number, hertz in enumerate(kind.anchors(params), start=1)
        ),
    ]
    question = QuestionFact(1, "question", "How many were there?", OPTIONS, TEXT)
    questions = (question,) if kind.asks else ()
    plan = next(plan for plan in kind.layout(params, clips, questions).items if ASKED in plan.clips)
    by_key = {clip.clip: clip for clip in clips}
    placed = tuple(PlacedClip(by_key[key].system, by_key[key].role, SPOKEN, SECONDS) for key in plan.clips)
    chances = {place: BESIDE[clip.role] for place, clip in enumerate(placed)}
    if kind.recognises:
        # The better the rated clip, the further it is from the other one.
        chances[plan.clips.index(OTHER)] = 0.0
    return ItemContent(placed, questions), plan.clips.index(ASKED), chances


def _score(
    kind: AnyTaskType, params: Spec, item: ItemContent, chances: dict[int, float], rated_place: int, rng: Random
) -> float:
    """Return the mean score of one careful answer for the clip at index `rated_place` of the item.

    Answers without a score, such as those on identical pairs, are drawn again.
    """
    values: list[float] = []
    while not values:
        rated = _rated(kind, params, item, chances, rng)
        values = [value for place, value in rated if place is None or place == rated_place]
    return sum(values) / len(values)


def _rated(
    kind: AnyTaskType, params: Spec, item: ItemContent, chances: dict[int, float], rng: Random
) -> list[tuple[int | None, float]]:
    """Return (index in the item, score) pairs of one careful answer; index None: a score of the whole item."""
    drawn = kind.draw(params, item, rng)
    order = drawn.order or tuple(range(len(item.clips)))
    shown = drawn.model_copy(update={"clips": tuple(f"clip-{place}" for place in range(len(order)))})
    answer = kind.simulate(params, shown, Listener(tuple(chances[place] for place in order)), rng)
    return [
        (None if row.place is None else order[row.place], row.value)
        for row in kind.rows(params, shown, answer)
        if row.part == kind.score.part and row.value is not None
    ]
