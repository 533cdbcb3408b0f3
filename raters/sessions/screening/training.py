"""Practice with `training` clips in the study's own form, with the right answer after each. It isn't counted."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Invalid
from core.text import languages
from core.web import client_input
from raters.sessions.screening.base import Check, CheckScore, Form, Step, StoredSound
from studies.definition.definition import Definition
from studies.rules.durations import filled
from studies.task_types.base import HUMAN, ItemContent, PlacedClip, Presentation

if TYPE_CHECKING:
    from studies.clips.queries import TrainingClip

# Trap roles by whether the clip is human, for judging answers.
TRAP = {True: "trap_human", False: "trap_flawed"}


class TrainingCheck(Check):
    """Practice clips, half human and half synthetic as far as available."""

    name = "training"
    label = gettext_lazy("Practice")
    phase = "practice"
    rank = 70
    template = "training"
    tells = True
    needs_clips = True

    def mode(self, definition: Definition) -> str:
        return definition.screening.training

    def tries(self, definition: Definition) -> int:
        return 1

    def draw(self, definition: Definition, rng: Random, *, clips: Sequence[TrainingClip], short: bool) -> list[Step]:
        kind, params = definition.kind, definition.params
        people = [clip for clip in clips if clip.system == HUMAN]
        machines = [clip for clip in clips if clip.system != HUMAN]
        for group in (people, machines):
            rng.shuffle(group)
        wanted = min(definition.screening.training_clips, len(clips))
        picked = [clip for pair in zip(people, machines, strict=False) for clip in pair]
        fewer = min(len(people), len(machines))
        picked = (picked + people[fewer:] + machines[fewer:])[:wanted]
        rng.shuffle(picked)
        return [
            {
                "clip": clip.clip,
                "rendition": clip.rendition,
                "bytes": clip.size,
                "seconds": round(filled(clip.seconds), 2),
                "human": clip.system == HUMAN,
                "shown": kind.draw(
                    params,
                    ItemContent((PlacedClip(clip.system, "training", clip.text, clip.seconds),)),
                    rng,
                ).model_dump(mode="json"),
            }
            for clip in picked
        ]

    def page(
        self, definition: Definition, step: Step, *, language: str, earlier: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        rules = {"max_plays": None, "interruption": "keep", "playback": "enforce"}
        trial = {"shown": step["shown"]["public"], "seconds": step["seconds"], **rules}
        return {"trial": trial, "params": definition.params_in(language), "task_type": definition.task_type}

    def sound(self, definition: Definition, step: Step) -> StoredSound:
        return StoredSound(step["rendition"], step["bytes"])

    def problems(self, definition: Definition, step: Step, form: Form) -> dict[str, str]:
        if form.get("unheard"):
            return {}
        try:
            answer = definition.kind.answer(submitted_answer(form))
        except Invalid as error:
            problems = error.problems
        else:
            problems = definition.kind.problems(definition.params, _shown(step), answer)
        return {field: languages.translate(message) for field, message in problems.items()}

    def answer(self, definition: Definition, step: Step, form: Form) -> dict[str, Any]:
        if form.get("unheard"):
            return {"clip": step["clip"], "human": step["human"]}
        kind, params, shown = definition.kind, definition.params, _shown(step)
        answer = kind.answer(submitted_answer(form))
        fits = kind.passes(params, TRAP[step["human"]], kind.rows(params, shown, answer))
        return {"clip": step["clip"], "body": answer.model_dump(mode="json"), "human": step["human"], "right": fits}

    def score(self, definition: Definition, answers: Sequence[dict[str, Any]]) -> CheckScore:
        """Score the practice, without clips that could not be played."""
        results = [answer["right"] for answer in answers if "right" in answer]
        wanted = definition.screening.training_right
        return CheckScore(
            sum(results), len(results), sum(results) >= (min(wanted, len(results)) if results else wanted)
        )


def submitted_answer(form: Form) -> dict[str, Any]:
    """Return the answer assembled by the page's script; raises `Invalid` if it is missing."""
    try:
        return client_input.json_object(form.get("answer", ""))
    except ValueError:
        raise Invalid(_("This page needs JavaScript."), {"": _("Please answer again.")}) from None


def _shown(step: Step) -> Presentation:
    return Presentation(**step["shown"], clips=(step["key"],))
