"""Read what a model answered: one JSON object, checked by pydantic, and nothing else of it is used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Generic, TypeVar

import regex
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

# What some models think aloud before they answer stands before the last of these; some leave the first one out.
THOUGHT, THOUGHT_END = "<think>", "</think>"
DECODER = json.JSONDecoder()
# Braces in the words around an answer, such as a formula; each is tried as the start of the answer.
MOST_BRACES = 100
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
        wrong = "it is not JSON"
        # The last one that fits: before it, a model may repeat the format that it was told, or try an answer.
        for found in reversed(list(_objects(answer))):
            try:
                return self.model.model_validate(_clean(found))
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                wrong = f"{'.'.join(map(str, first['loc'])) or 'answer'}: {first['msg']}"
            except RecursionError:
                continue
        raise ValueError(wrong)


GENERATED, REWRITTEN = Shape(Texts), Shape(Rewritten)
QUESTIONS, CHOSEN = Shape(AskedQuestions), Shape(Chosen)


def _objects(answer: str) -> Iterator[object]:
    """Yield the JSON objects of an answer, without those inside of others, whatever stands around them."""
    _thoughts, end, body = answer.rpartition(THOUGHT_END)
    if not end and THOUGHT in body:
        return
    start = body.find("{")
    for _number in range(MOST_BRACES):
        if start < 0:
            return
        try:
            found, stop = DECODER.raw_decode(body, start)
        except (ValueError, RecursionError):
            stop = start + 1
        else:
            yield found
        start = body.find("{", stop)


def _clean(value: object) -> object:
    """Return JSON whose texts have no control characters, which could hide or turn words on a page."""
    if isinstance(value, str):
        return " ".join(CONTROL.sub(" ", value).split())
    if isinstance(value, list):
        return [_clean(each) for each in value]
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    return value
