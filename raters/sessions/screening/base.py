"""Interface of checks: draw a try, describe its page and sound, judge the answers."""

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
# Maximum digits of a choice's number; Python refuses to parse thousands of digits.
LONGEST_NUMBER = 3
# Submitted form: {field: value}.
Form = Mapping[str, str]
Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredSound:
    """A sound in the store."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class CheckScore:
    """Result of a try: right answers, total, and whether it passed."""

    right: int
    of: int
    passed: bool


class Check(ABC):
    """A check of listeners. Tries are drawn and stored on the server; `page` reveals no right answer.

    A try is a list of steps, one per page; steps and answers are plain JSON.
    """

    name: ClassVar[str]
    label: ClassVar[Words]
    version: ClassVar[int] = 1
    phase: ClassVar[Phase] = "checks"
    # Order of the checks in a session.
    rank: ClassVar[int]
    template: ClassVar[str]
    # Outcome of sessions that fail the check, if the study screens them out.
    outcome: ClassVar[str] = "screened_out"
    # True if each answer is followed by a page with the right one.
    tells: ClassVar[bool] = False
    needs_clips: ClassVar[bool] = False
    # True if platforms accept it as a reason to reject; question and answer are then stored as evidence.
    is_fair: ClassVar[bool] = False

    @abstractmethod
    def mode(self, definition: Definition) -> str:
        """Return "off", "flag" or "screen_out"."""

    def tries(self, definition: Definition) -> int:
        """Return the maximum number of tries."""
        return 2

    @abstractmethod
    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[TrainingClip], short: bool) -> list[Step]:
        """Draw a new try; `short` between batches."""

    def page(
        self, definition: Definition, step: Step, *, language: str, earlier: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return the template values of a step; `earlier` are the answers of the previous try, if any."""
        return {}

    def sound(self, definition: Definition, step: Step) -> bytes | StoredSound | None:
        """Return the sound of a step."""
        return None

    def problems(self, definition: Definition, step: Step, form: Form) -> dict[str, str]:
        """Return {field: problem} for an incomplete form, which doesn't count as a try."""
        return {}

    @abstractmethod
    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        """Return the answer to store, with `right` (true or false)."""

    def score(self, definition: Definition, answers: Sequence[dict[str, Any]]) -> CheckScore:
        """Judge a finished try; by default, all answers must be right."""
        right = sum(answer["right"] for answer in answers)
        return CheckScore(right, len(answers), right == len(answers))


def chosen(form: Form, name: str, below: int) -> dict[str, str]:
    """Return a problem unless one of the choices 0 to `below` − 1 was made."""
    value = form.get(name, "")
    is_short = len(value) <= LONGEST_NUMBER
    return {} if is_short and value.isdecimal() and int(value) < below else {name: _("Choose one of these.")}
