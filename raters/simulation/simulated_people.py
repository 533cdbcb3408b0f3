"""Simulated people: their answers and questionnaires depend only on the seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from core.rng import seeded
from raters.sessions.questionnaire import QuestionnaireAnswer
from raters.sessions.screening import attention
from raters.sessions.screening.base import Step
from studies.definition.definition import Definition
from studies.definition.facts import Frozen
from studies.definition.settings.questionnaire import (
    AGE,
    DEVICE,
    GENDER,
    LANGUAGES,
    NOT_SAID,
    OTHER,
    SELF_DESCRIBED,
    SKIPPED,
    QuestionnaireQuestion,
)
from studies.task_types.base import Listener, Presentation


def inputs(reason: str, *, careless: bool) -> dict[str, Any]:
    """Return the typing counts a page would report: typed, or pasted by a careless rater."""
    if not reason:
        return {"keys": 0}
    if careless:
        return {"keys": 2, "pastes": 1, "chars_pasted": len(reason)}
    return {"keys": len(reason) + 2, "first_key_s": 1}


# Roughly as on a crowd platform; mainly, every answer must occur.
SHARES: dict[str, Mapping[str, float]] = {
    GENDER: {"woman": 48, "man": 46, "non_binary": 3, SELF_DESCRIBED: 1, NOT_SAID: 2},
    AGE: {"18-24": 18, "25-34": 33, "35-44": 24, "45-54": 13, "55-64": 8, "65+": 3, NOT_SAID: 1},
    DEVICE: {"over_ear": 46, "in_ear": 34, "loudspeakers": 7, "built_in": 11, OTHER: 1, NOT_SAID: 1},
}
# Share of questions that careful and careless raters skip.
SKIPS, SKIPS_CARELESS = 0.03, 0.25
NATIVE, BILINGUAL = 0.85, 0.1
# Share of careful raters who misread an attention check.
MISREAD = 0.02
ELSEWHERE = ("es", "pl", "pt", "zh", "hi", "fr")
WORDS = ("Nothing to add.", "The clips were clear.", "I would take part again.")


def answer_questionnaire(
    questions: Sequence[QuestionnaireQuestion], *, language: str, careless: bool, rng: Random
) -> list[QuestionnaireAnswer]:
    """Answer the questionnaire, mostly as a native speaker of the study's language."""
    return [_answer(question, language, careless, rng) for question in questions]


def answer_attention_check(definition: Definition, step: Step, *, careless: bool, rng: Random) -> dict[str, str]:
    """Answer an attention check: as it says, or at random if careless."""
    right = definition.screening.fair[step["number"]].right
    is_read = rng.random() >= MISREAD and not careless
    places = [str(place) for place, choice in enumerate(step["order"]) if not is_read or choice in right]
    return {attention.FIELD: rng.choice(places)}


def _answer(question: QuestionnaireQuestion, language: str, careless: bool, rng: Random) -> QuestionnaireAnswer:
    if rng.random() < (SKIPS_CARELESS if careless else SKIPS):
        return QuestionnaireAnswer(question.key, SKIPPED)
    if question.key == LANGUAGES:
        return QuestionnaireAnswer(question.key, _languages(language.partition("-")[0], rng))
    if question.key in SHARES:
        shares = SHARES[question.key]
        return QuestionnaireAnswer(question.key, rng.choices(list(shares), list(shares.values()))[0])
    if question.codes:
        return QuestionnaireAnswer(question.key, rng.choice(question.codes))
    return QuestionnaireAnswer(question.key, words=rng.choice(WORDS))


def _languages(own: str, rng: Random) -> str:
    other = rng.choice([code for code in ELSEWHERE if code != own])
    if rng.random() >= NATIVE:
        return other
    return f"{own}|{other}" if rng.random() < BILINGUAL else own


# Probability that a clip is judged human: recordings, flawed clips, and the range for other systems.
HUMAN, FLAWED, OTHERS = 0.9, 0.02, (0.1, 0.75)
# Standard deviations on the logit scale.
RATER_SD, CLIP_SD = 0.45, 0.35
DRAWS = 64


@dataclass(frozen=True, slots=True)
class SimulatedClip:
    """A clip with its role and system, which raters never see."""

    trial_clip: int
    size: int
    plays: int
    system: str
    role: str
    file: str


@dataclass(frozen=True, slots=True)
class Person:
    """A simulated rater; `bias` is towards Human, on the logit scale."""

    seed: int
    number: int
    bias: float
    careless: bool

    def rng(self, *purpose: object) -> Random:
        """Return this person's generator for one purpose, so that an interrupted run continues identically."""
        return seeded("person", self.seed, self.number, *purpose)

    def chance(self, clip: SimulatedClip) -> float:
        """Return the probability that this person judges the clip human."""
        if clip.role == "trap_flawed":
            system = FLAWED
        elif clip.system == "human":
            system = HUMAN
        else:
            system = seeded("system", self.seed, clip.system).uniform(*OTHERS)
        shift = self.bias + seeded("clip", self.seed, clip.file).gauss(0, CLIP_SD)
        return 1 / (1 + math.exp(-(math.log(system / (1 - system)) + shift)))


def crowd(*, raters: int, seed: int, careless: float) -> list[Person]:
    """Return the people of a seed; the share `careless` of them is careless, spread evenly."""
    offset = seeded("careless", seed).uniform(0.1, 0.9)

    def careless_before(number: int) -> int:
        return int(offset + number * careless)

    return [
        Person(
            seed,
            number,
            seeded("bias", seed, number).gauss(0, RATER_SD),
            careless_before(number + 1) > careless_before(number),
        )
        for number in range(raters)
    ]


def answer(
    *, frozen: Frozen, shown: Presentation, chances: Sequence[float], careless: bool, rng: Random
) -> dict[str, Any]:
    """Return a person's answer; a careless one picks evenly among the task's possible answers."""
    kind, params = frozen.kind, frozen.params
    if not careless:
        return dict(kind.simulate(params, shown, Listener(tuple(chances)), rng).model_dump(mode="json"))
    answer_by_codes: dict[tuple[str, ...], Any] = {}
    for _ in range(DRAWS):
        listener = Listener(tuple(rng.random() for _chance in chances), is_careful=False)
        drawn = kind.simulate(params, shown, listener, rng)
        rows = kind.rows(params, shown, drawn)
        answer_by_codes.setdefault(tuple(row.code for row in rows if row.part == kind.score.part), drawn)
        if len(answer_by_codes) >= kind.options:
            break
    return dict(answer_by_codes[rng.choice(sorted(answer_by_codes))].model_dump(mode="json"))
