"""A scale of a test: its question, its points or answers and their labels, and the order of several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import Field, StringConstraints, field_validator, model_validator

from core.rng import seeded
from core.spec import Spec
from core.spec import labels as words_of
from core.text.words import say
from studies.task_types import _transcripts
from studies.task_types.base import ScoreScale

Label = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Code = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# Points of a slider, and answers that still fit on a page as buttons.
MOST_POINTS, MOST_BUTTONS = 101, 21
# The code and label of the box that excludes all others.
NONE, NONE_LABEL = "none", "None of these"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PossibleAnswer:
    """An answer to a scale; `value` is None if it is no number, `label` is empty for a point without one."""

    code: str
    value: float | None
    label: str = ""

    @property
    def point(self) -> str:
        """The number of a point without a name of its own; empty for others."""
        return self.code if self.value is not None and self.code == f"{self.value:g}" else ""

    @property
    def shown(self) -> str:
        """What raters read."""
        return " · ".join(filter(None, (self.point, self.label))) or self.code


class Scale(Spec):
    """One scale, as the researcher writes it."""

    name: str = Field(
        min_length=1,
        max_length=30,
        description="Short name in tables, such as SIG. In lower case, it is the column “part” of the export.",
    )
    question: str = Field(min_length=1, max_length=300, description="Asked above the answers.")
    labels: tuple[Label, ...] = Field(
        (),
        max_length=MOST_BUTTONS,
        description="Labels in the order shown, one a line: of every point, only of both ends, or evenly between them.",
    )
    answer: Literal["points", "slider", "category", "several", "text", "transcript"] = Field(
        "points",
        description="How raters answer.",
        json_schema_extra=words_of(
            points="Points of a scale",
            slider="Slider",
            category="Categories without order",
            several="Several choices (check boxes)",
            text="Text",
            transcript="Transcript, compared with the clip's text",
        ),
    )
    low: float = Field(1.0, ge=-1000, le=1000, description="Lowest point.")
    high: float = Field(5.0, ge=-1000, le=1000, description="Highest point.")
    step: float = Field(1.0, gt=0, le=1000, description="From one point to the next, such as 1, 0.5 or 0.1.")
    first: Literal["high", "low"] = Field(
        "high",
        title="Shown first",
        description="Which end of the scale is shown first. A slider always starts with the lowest point.",
        json_schema_extra=words_of(high="The highest point", low="The lowest point"),
    )
    codes: tuple[Code, ...] = Field(
        (),
        max_length=MOST_BUTTONS,
        description="Names of the answers in exports, one a line, in the order of the labels. Leave empty for numbers.",
    )

    @field_validator("name")
    @classmethod
    def name_is_short(cls, name: str) -> str:
        if not NAME.fullmatch(name):
            raise ValueError(say("“{name}” is no short name: write a letter, then letters, digits, - or _", name=name))
        return name

    @model_validator(mode="after")
    def answers_fit(self) -> Scale:
        if self.is_written:
            if self.labels or self.codes:
                raise ValueError(say("“{name}” is answered in words, so it has no labels and no codes", name=self.name))
            return self
        if self.answer in ("category", "several"):
            if len(self.labels) < 2:
                raise ValueError(say("“{name}” has fewer than two categories: write a label for each", name=self.name))
        else:
            self._check_points()
        if self.answer == "several" and NONE in self.codes:
            raise ValueError(
                say("“{name}” has a box “none of these” already: leave out the code “none”", name=self.name)
            )
        size = self._steps + 1 if self.is_number else len(self.labels)
        if self.codes and not size == len(self.codes) == len(set(self.codes)):
            raise ValueError(say("“{name}” needs a different code for each of its answers, or none", name=self.name))
        return self

    def _check_points(self) -> None:
        steps = (self.high - self.low) / self.step
        if steps < 1 or abs(steps - round(steps)) > 1e-6:
            raise ValueError(
                say("the steps of “{name}” don’t lead from its lowest point to its highest", name=self.name)
            )
        most = MOST_POINTS if self.answer == "slider" else MOST_BUTTONS
        if steps + 1 > most + 0.5:
            raise ValueError(say("“{name}” has more than {most} points", name=self.name, most=most))
        gaps = len(self.labels) - 1
        if self.labels and (gaps < 1 or round(steps) % gaps):
            raise ValueError(
                say("“{name}” needs a label for each point, for both ends, or evenly between them", name=self.name)
            )

    @property
    def part(self) -> str:
        """The name of its rows."""
        return self.name.lower()

    @property
    def is_number(self) -> bool:
        return self.answer in ("points", "slider")

    @property
    def is_written(self) -> bool:
        return self.answer in ("text", "transcript")

    @property
    def is_row(self) -> bool:
        """True if the points are shown in a row between the labels of both ends."""
        return self.answer == "points" and len(self.labels) <= 2 < len(self.answers)

    @property
    def answers(self) -> tuple[PossibleAnswer, ...]:
        """The possible answers in the order shown; none for text. Several choices also have `NONE`."""
        if self.is_written:
            return ()
        if self.answer in ("category", "several"):
            codes = self.codes or tuple(str(number) for number in range(1, len(self.labels) + 1))
            return tuple(PossibleAnswer(code, None, label) for code, label in zip(codes, self.labels, strict=True))
        values = [round(self.low + number * self.step, 6) for number in range(self._steps + 1)]
        if self.first == "high" and self.answer == "points":
            values.reverse()
        every = self._steps // (len(self.labels) - 1) if self.labels else 0
        return tuple(
            PossibleAnswer(
                self.codes[number] if self.codes else f"{value:g}",
                value,
                self.labels[number // every] if every and number % every == 0 else "",
            )
            for number, value in enumerate(values)
        )

    @property
    def _steps(self) -> int:
        return round((self.high - self.low) / self.step)

    @property
    def codes_shown(self) -> dict[str, str]:
        """The label of each code, or the code; empty for text and for scales too fine to count each point."""
        if len(self.answers) > MOST_BUTTONS:
            return {}
        codes = {answer.code: answer.label or answer.code for answer in self.answers}
        return {**codes, NONE: NONE_LABEL} if self.answer == "several" else codes

    @property
    def score(self) -> ScoreScale:
        """The scale of its mean; two points 0 and 1 give a share."""
        unit = "%" if (self.low, self.high, self._steps) == (0, 1, 1) else ""
        return ScoreScale(self.name, self.low, self.high, unit, self.part, self.codes_shown)

    @property
    def scores(self) -> tuple[ScoreScale, ...]:
        """The scores of its answers: of points themselves, or the error rates of transcripts."""
        if self.answer == "transcript":
            return _transcripts.RATES
        return (self.score,) if self.is_number else ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What raters read: the question, then the labels."""
        return (self.question, *self.labels)


def shuffled(scales: Sequence[T], rater: int, purpose: str = "scales") -> list[T]:
    """Return the order for a rater: among raters in a row, each scale is first equally often.

    Of two scales, every second rater gets either order.
    """
    order = list(scales)
    if not order:
        return order
    seeded(purpose, rater // len(order)).shuffle(order)
    turn = rater % len(order)
    return order[turn:] + order[:turn]
