"""What a check must say: how a try is drawn, what its page may show, what it plays, and how it is judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.clips.queries import TrainingClip
    from studies.definition.definition import Definition

# Before the instructions, after them, and between batches.
Phase = Literal["checks", "practice", "between"]
# Digits of a choice's number; Python refuses to read thousands of them.
LONGEST_NUMBER = 3
# What a form sent, by field.
Form = Mapping[str, str]
Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredSound:
    """A sound that lies in the store."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class CheckScore:
    """How a try came out: right answers, of how many, and whether that is enough."""

    right: int
    of: int
    passed: bool


class Check(ABC):
    """A check of listeners. Tries are drawn and stored on the server; `page` reveals no right answer.

    A try is a list of steps, each one page; what a step holds and what was answered to it are plain JSON.
    """

    name: ClassVar[str]
    label: ClassVar[Words]
    version: ClassVar[int] = 1
    phase: ClassVar[Phase] = "checks"
    # The order in which listeners meet the checks.
    rank: ClassVar[int]
    template: ClassVar[str]
    # Outcome of sessions that fail the check, where the study screens out.
    outcome: ClassVar[str] = "screened_out"
    # Whether each answer is followed by a page that says what was right.
    tells: ClassVar[bool] = False
    needs_clips: ClassVar[bool] = False
    # Whether platforms accept it as a reason to reject: question and answer are then stored as evidence.
    is_fair: ClassVar[bool] = False

    @abstractmethod
    def mode(self, definition: Definition) -> str:
        """Return off, flag or screen_out."""

    def tries(self, definition: Definition) -> int:
        """Return how often it may be tried."""
        return 2

    @abstractmethod
    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[TrainingClip], short: bool) -> list[Step]:
        """Draw a new try; `short` between batches."""

    def page(
        self, definition: Definition, step: Step, *, language: str, earlier: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return what the page of a step shows; `earlier` is what the try before was answered with, if any."""
        return {}

    def sound(self, definition: Definition, step: Step) -> bytes | StoredSound | None:
        """Return what a step plays."""
        return None

    def problems(self, definition: Definition, step: Step, form: Form) -> dict[str, str]:
        """Say what is missing in a form, by field; that costs no try."""
        return {}

    @abstractmethod
    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        """Return the answer to store, with `right` (true, false)."""

    def score(self, definition: Definition, answers: Sequence[dict[str, Any]]) -> CheckScore:
        """Judge a finished try: by default all of it must be right."""
        right = sum(answer["right"] for answer in answers)
        return CheckScore(right, len(answers), right == len(answers))


def chosen(form: Form, name: str, below: int) -> dict[str, str]:
    """Return a problem unless one of the `below` numbered choices was made."""
    value = form.get(name, "")
    is_short = len(value) <= LONGEST_NUMBER
    return {} if is_short and value.isdecimal() and int(value) < below else {name: _("Choose one of these.")}
