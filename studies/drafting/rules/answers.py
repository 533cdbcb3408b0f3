"""Read what a model answered: strict JSON, checked by pydantic, and nothing else of it is used."""

from __future__ import annotations

import json
from typing import Annotated, Generic, TypeVar

import regex
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

FENCE = regex.compile(r"^\s*```(?:json)?\s*(.*?)\s*```\s*$", regex.DOTALL)
# What some models think aloud before they answer.
THOUGHT = regex.compile(r"^\s*<think>.*?</think>", regex.DOTALL)
CONTROL = regex.compile(r"[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+")
LONGEST_TEXT = 4000
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT)]


class Answer(BaseModel):
    """What every answer has: the fields that were asked for, and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Texts(Answer):
    texts: list[Words]


class Rewritten(Answer):
    text: Words


class Distractor(Answer):
    text: Words
    error: str = ""


class AskedQuestion(Answer):
    question: Words
    answer: Words
    distractors: list[Distractor]


class AskedQuestions(Answer):
    questions: list[AskedQuestion]


class Chosen(Answer):
    option: int


A = TypeVar("A", bound=Answer)


class Shape(Generic[A]):
    """The answer that a step asks for."""

    def __init__(self, model: type[A]) -> None:
        self.model = model

    def read(self, answer: str) -> A:
        """Return the answer; raises `ValueError` with one line that says what is wrong."""
        body = THOUGHT.sub("", answer, count=1)
        fenced = FENCE.match(body)
        try:
            return self.model.model_validate(_clean(json.loads(fenced[1] if fenced else body)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise ValueError(f"{'.'.join(map(str, first['loc'])) or 'answer'}: {first['msg']}") from None
        except (ValueError, RecursionError):
            raise ValueError("it is not JSON") from None


GENERATED, REWRITTEN = Shape(Texts), Shape(Rewritten)
QUESTIONS, CHOSEN = Shape(AskedQuestions), Shape(Chosen)


def _clean(value: object) -> object:
    """Return JSON whose texts have no control characters, which could hide or turn words on a page."""
    if isinstance(value, str):
        return " ".join(CONTROL.sub(" ", value).split())
    if isinstance(value, list):
        return [_clean(each) for each in value]
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    return value
