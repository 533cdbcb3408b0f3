"""Three-interval tests: six trials before the first clip, three between batches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any

from raters.sessions.screening.base import Check, CheckScore, Form, Step, chosen
from studies.definition.definition import Definition

TRIALS, SHORT = 6, 3
INTERVALS = 3


class ThreeIntervalTest(Check):
    """A headphone test. The three intervals of a trial are one file, so URLs and sizes don't reveal the target."""

    template = "headphones"

    def mode(self, definition: Definition) -> str:
        screening = definition.screening
        return screening.headphones_failed if screening.headphones in (self.name, "both") else "off"

    @abstractmethod
    def needed(self, definition: Definition) -> int:
        """Return the minimum number of right answers out of six."""

    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[Any], short: bool) -> list[Step]:
        return [self.trial(rng) for _number in range(SHORT if short else TRIALS)]

    @abstractmethod
    def trial(self, rng: Random) -> Step:
        """Draw one trial, including its `target`."""

    def page(
        self, definition: Definition, step: Step, *, language: str, earlier: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        return {"intervals": range(INTERVALS), "test": self.name}

    def problems(self, definition: Definition, step: Step, form: Form) -> dict[str, str]:
        return chosen(form, "interval", INTERVALS)

    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        interval = int(form["interval"])
        return {"interval": interval, "target": step["target"], "right": interval == step["target"]}

    def score(self, definition: Definition, answers: Sequence[dict[str, Any]]) -> CheckScore:
        right, of = sum(answer["right"] for answer in answers), len(answers)
        # The short form allows no mistake: by chance, one in 27 passes.
        return CheckScore(right, of, right >= (self.needed(definition) if of == TRIALS else of))
