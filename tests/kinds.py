"""A small live study of any task type, made of its own preset."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from random import Random
from typing import Any

from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.launch.states import launch
from studies.models import Clip, Question, Study, System
from tests import world

TEXTS = 3
OPTIONS = ({"text": "Seven"}, {"text": "Eleven", "error": "phonetic"}, {"text": "A dozen", "error": "semantic"})
# Two trials a session: enough to see that one follows another.
SMALL = {"protocol.tests_per_batch": 2, "protocol.batches_per_session": 1, "crowd.completion_code": "DONE1"}
# The fewest that can be compared.
SYSTEMS = {"sets": ("alpha", "beta", "gamma")}
# All systems get scores.
DESIGNS = {"compare": {"task.pairs": "all"}, "mushra": {"task.anchors": []}, "scales": {"task.way": "one_page"}}
# The first checks, which some presets have, have tests of their own.
UNCHECKED = {"screening.device": "off", "screening.volume": False, "screening.headphones": "none"}


def preset_of(kind: str) -> str:
    """Return the preset with the name of a task type, or its first."""
    if kind in presets.by_name():
        return kind
    return next(name for name, preset in sorted(presets.by_name().items()) if preset.definition.task_type == kind)


def make(kind: str, *, now: datetime, seconds: float = 0.5, launched: bool = True, **settings: Any) -> Study:
    """Launch a study, or leave it a draft: two or three systems and a person say three texts.

    `settings` are dotted with two underscores.
    """
    systems = SYSTEMS.get(kind, ("alpha", "beta"))
    study = world.make_study(now=now, systems=systems, texts=TEXTS, flawed=2, humans=2, seconds=seconds, launch=False)
    name = preset_of(kind)
    changes = {
        **SMALL,
        **UNCHECKED,
        **DESIGNS.get(kind, {}),
        **{key.replace("__", "."): value for key, value in settings.items()},
    }
    study.draft = parse(change(presets.get(name).definition.model_dump(mode="json"), changes)).model_dump(mode="json")
    study.title = presets.get(name).label
    study.save()
    _add_references(study)
    if study.definition.kind.asks:
        _add_questions(study)
    if launched:
        launch(study=study, now=now, rng=Random(1))
    return study


def _add_references(study: Study) -> None:
    human = System.objects.get(study=study, name="human")
    for clip in Clip.objects.filter(study=study, system__name="alpha", role="test"):
        clip.pk, clip.system, clip.role = None, human, Clip.Role.REFERENCE
        clip.file = clip.file.replace("alpha", "reference")
        # A recording of its own, as the audit asks.
        clip.sha256 = sha256(clip.file.encode()).hexdigest()
        clip.save()


def _add_questions(study: Study) -> None:
    for text in study.texts.order_by("pk"):
        for number in (1, 2):
            prompt = f"How many were there ({number})?"
            Question.objects.create(
                study=study, text=text, name=f"{text.name}/{number}", prompt=prompt, options=list(OPTIONS)
            )
    for number in (1, 2, 3):
        prompt = f"How many days has a week ({number})?"
        Question.objects.create(study=study, name=f"golden/{number}", golden=True, prompt=prompt, options=list(OPTIONS))
