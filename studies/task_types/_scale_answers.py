"""The answers to one scale of a clip: their problems, their rows, and a simulated listener's."""

from __future__ import annotations

from random import Random

from core.text.words import say
from studies.task_types import _transcripts
from studies.task_types._scales import NONE, Scale
from studies.task_types.base import AnswerRow, Listener, Presentation

# Of simulated listeners: how much each scale varies besides the whole answer, as a share of the scale.
OWN_NOISE = 0.1


def problem(scale: Scale, given: str | tuple[str, ...] | None) -> str:
    """Return what is wrong with the answer to a scale; empty if nothing is."""
    codes = {each.code for each in scale.answers}
    if scale.answer == "several":
        is_right = (
            isinstance(given, tuple)
            and (given == (NONE,) or (bool(given) and codes.issuperset(given)))
            and len(set(given)) == len(given)
        )
        return "" if is_right else say("Please choose at least one.")
    if scale.answer == "transcript":
        # Empty, but sent: nothing was understood.
        return "" if isinstance(given, str) else say("Please write what you heard.")
    if not isinstance(given, str):
        return say("Please write an answer.") if scale.answer == "text" else say("Please choose one of the answers.")
    if scale.answer == "text":
        return "" if given else say("Please write an answer.")
    return "" if given in codes else say("Please choose one of the answers.")


def place(shown: Presentation) -> int:
    return shown.order.index(0) if shown.order else 0


def rows(scale: Scale, given: str | tuple[str, ...], shown: Presentation) -> list[AnswerRow]:
    at = place(shown)
    if isinstance(given, tuple):
        return [AnswerRow(scale.part, code, 1.0, at) for code in scale.codes_shown if code in given]
    if scale.answer == "transcript":
        return _transcripts.rows(scale.part, given, shown.private["text"], at)
    if scale.answer == "text":
        return [AnswerRow(scale.part, "text", None, at, note=given)]
    value = next(each.value for each in scale.answers if each.code == given)
    return [AnswerRow(scale.part, given, value, at)]


def simulated(scale: Scale, quality: float, listener: Listener, rng: Random) -> str | tuple[str, ...]:
    """Return the answer of a listener who hears this quality, from 0 to 1."""
    if scale.answer == "text":
        return "Nothing to add."
    if scale.answer == "several":
        often = 1 - quality if listener.is_careful else 0.5
        return tuple(each.code for each in scale.answers if rng.random() < often) or (NONE,)
    answers = sorted(scale.answers, key=lambda each: each.value or 0.0) if scale.is_number else scale.answers
    if not listener.is_careful or not scale.is_number:
        return rng.choice(answers).code
    most = len(answers) - 1
    if most == 1:
        return answers[rng.random() < quality].code
    return answers[min(most, max(0, round(most * (quality + rng.gauss(0, OWN_NOISE)))))].code


def parts(scale: Scale) -> tuple[str, ...]:
    """Return the parts of its rows."""
    return (scale.part, *(score.part for score in scale.scores if score.part != scale.part))
