"""What people who don't exist say about themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from raters.screening import attention
from raters.screening.base import Step
from raters.services.questionnaire import Told
from studies.presets.definition import Definition
from studies.presets.questionnaire import (
    AGE,
    DEVICE,
    GENDER,
    LANGUAGES,
    NOT_SAID,
    OTHER,
    SELF_DESCRIBED,
    SKIPPED,
    Asked,
)

# About as on a crowd platform; what matters is that every answer occurs.
SHARES: dict[str, Mapping[str, float]] = {
    GENDER: {"woman": 48, "man": 46, "non_binary": 3, SELF_DESCRIBED: 1, NOT_SAID: 2},
    AGE: {"18-24": 18, "25-34": 33, "35-44": 24, "45-54": 13, "55-64": 8, "65+": 3, NOT_SAID: 1},
    DEVICE: {"over_ear": 46, "in_ear": 34, "loudspeakers": 7, "built_in": 11, OTHER: 1, NOT_SAID: 1},
}
# How many leave a question out, of those who care and of those who don't.
SKIPS, SKIPS_CARELESS = 0.03, 0.25
NATIVE, BILINGUAL = 0.85, 0.1
# How many who care misread a question that says itself what to answer.
MISREAD = 0.02
ELSEWHERE = ("es", "pl", "pt", "zh", "hi", "fr")
WORDS = ("Nothing to add.", "The clips were clear.", "I would take part again.")


def tell(asked: Sequence[Asked], *, language: str, careless: bool, rng: Random) -> list[Told]:
    """Answer each question as somebody would whose study is in this language."""
    return [_answer(question, language, careless, rng) for question in asked]


def attend(definition: Definition, step: Step, *, careless: bool, rng: Random) -> dict[str, str]:
    """Answer an attention check: as it asks, or, without reading, anything."""
    right = definition.screening.fair[step["number"]].right
    is_read = rng.random() >= MISREAD and not careless
    places = [str(place) for place, choice in enumerate(step["order"]) if not is_read or choice in right]
    return {attention.FIELD: rng.choice(places)}


def _answer(question: Asked, language: str, careless: bool, rng: Random) -> Told:
    if rng.random() < (SKIPS_CARELESS if careless else SKIPS):
        return Told(question.key, SKIPPED)
    if question.key == LANGUAGES:
        return Told(question.key, _languages(language.partition("-")[0], rng))
    if question.key in SHARES:
        shares = SHARES[question.key]
        return Told(question.key, rng.choices(list(shares), list(shares.values()))[0])
    if question.codes:
        return Told(question.key, rng.choice(question.codes))
    return Told(question.key, words=rng.choice(WORDS))


def _languages(own: str, rng: Random) -> str:
    other = rng.choice([code for code in ELSEWHERE if code != own])
    if rng.random() >= NATIVE:
        return other
    return f"{own}|{other}" if rng.random() < BILINGUAL else own
