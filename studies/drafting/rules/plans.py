"""What a run is to draft, with its limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import ceil
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from studies.drafting.rules.prompts import Step
from studies.drafting.rules.question_checks import TRIES
from studies.drafting.rules.text_checks import SIMILARITY
from studies.rules.text import FEWEST, MOST

MOST_TEXTS, MOST_GOLDEN, MOST_PASSAGES = 200, 100, 200
LONGEST_TOPICS = 500
MOST_DIMENSIONS = 20
USUAL_QUESTIONS: Final = 4
# So many are asked for at once.
TEXTS_AT_ONCE, GOLDEN_AT_ONCE = 10, 10
USUAL_TOKENS, MOST_TOKENS = 200_000, 20_000_000
USUAL_CALLS, MOST_CALLS = 1_000, 100_000


class Plan(BaseModel, ABC):
    """What every plan has."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    steps: ClassVar[tuple[Step, ...]]

    tries: int = Field(TRIES, ge=0, le=10)
    # How often the model may be asked for all: once more each time that a run which it left short is continued.
    rounds: int = Field(1, ge=1)

    @property
    @abstractmethod
    def wanted(self) -> int:
        """Return how many texts or questions are asked for."""

    @property
    def most_tries(self) -> int:
        """Return how often a question is tried without its passage: again where an answer can't be read."""
        return 2 * self.rounds * self.tries


class TextPlan(Plan):
    """Texts for a dimension, and as many for each of the others."""

    steps = ("generate", "colloquial")
    dimension: str = Field(min_length=1, max_length=100)
    others: list[str] = Field(default=[], max_length=MOST_DIMENSIONS - 1)
    language: str = Field(min_length=1, max_length=20)
    box: str = Field("", pattern="^(white|black)?$")
    topics: str = Field("", max_length=LONGEST_TOPICS)
    number: int = Field(ge=1, le=MOST_TEXTS)
    shortest: int = Field(ge=1, le=2000)
    longest: int = Field(ge=1, le=2000)
    similarity: float = Field(SIMILARITY, gt=0, le=1)

    @property
    def dimensions(self) -> list[str]:
        """Return the dimensions in their order, each once."""
        return list(dict.fromkeys([self.dimension, *self.others]))

    @property
    def wanted(self) -> int:
        return len(self.dimensions) * self.number

    @property
    def most_requests(self) -> int:
        """Return how often texts of a dimension are asked for: a model may write fewer at a time, or known ones."""
        return self.rounds * (2 * ceil(self.number / TEXTS_AT_ONCE) + 1)


class QuestionPlan(Plan):
    """Questions about passages, by the primary keys of their texts."""

    steps = ("questions", "blind")
    passages: list[int] = Field(min_length=1, max_length=MOST_PASSAGES)
    number: int = Field(USUAL_QUESTIONS, ge=FEWEST, le=MOST)

    @property
    def wanted(self) -> int:
        return len(self.passages) * self.number

    @property
    def most_requests(self) -> int:
        """Return how often questions about a passage are asked for: again where some were refused."""
        return 3 * self.rounds


class GoldenPlan(Plan):
    """Golden questions."""

    steps = ("golden", "blind")
    language: str = Field(min_length=1, max_length=20)
    topics: str = Field("", max_length=LONGEST_TOPICS)
    number: int = Field(ge=1, le=MOST_GOLDEN)

    @property
    def wanted(self) -> int:
        return self.number

    @property
    def most_requests(self) -> int:
        return self.rounds * (2 * ceil(self.number / GOLDEN_AT_ONCE) + 1)
