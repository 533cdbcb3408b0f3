"""Studies to draft for."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from accounts.models import User
from studies.decisions import experts
from studies.definition import presets
from studies.definition.parsing import parse
from studies.drafting import requesting
from studies.drafting.models import DraftRun
from studies.models import Study, Text
from tests import world

PASSAGE = (
    "On Monday, Governor Ellen Marsh signed Bill 2046 in Talladega. The bill set aside 18 million dollars for 115 "
    "clinics, and the doctor Ruth Okafor was named to lead the program until June of 1990."
)
CHINESE = "二〇一九年三月十四日，市长签署了第2046号议案，拨款一千八百万元，用于修建115所乡村诊所。"


def passages(now: datetime, *bodies: str) -> Study:
    """Return a draft of a study of passages, each spoken by one clip."""
    study = world.make_study(
        now=now, systems=("alpha",), texts=len(bodies or (PASSAGE,)), flawed=0, humans=0, launch=False
    )
    study.clips.exclude(role="test").delete()
    draft = parse(presets.get("sp-mcqa").definition.model_dump(mode="json")).model_dump(mode="json")
    Study.objects.filter(pk=study.pk).update(draft=draft)
    for text, body in zip(Text.objects.filter(study=study).order_by("pk"), bodies or (PASSAGE,), strict=True):
        Text.objects.filter(pk=text.pk).update(body=body)
    study.refresh_from_db()
    return study


def hear(study: Study, *users: User) -> None:
    """Let people play every clip of a study."""
    for user in users:
        keys = experts.audio_keys(user_id=user.pk, clips=list(study.clips.values_list("pk", flat=True)))
        experts.note_plays(user_id=user.pk, keys=keys.values(), now=timezone.now())


def ask(study: Study, now: datetime, *, tries: int = 4, number: int = 4, people: int = 1, **limits: Any) -> DraftRun:
    """Ask for questions about every passage."""
    plan = {"passages": list(study.texts.order_by("pk").values_list("pk", flat=True)), "number": number, "tries": tries}
    return requesting.request(study=study, kind="questions", plan=plan, user=None, now=now, people=people, **limits)


def ask_texts(study: Study, now: datetime, *, number: int = 4, **values: Any) -> DraftRun:
    """Ask for texts."""
    limits = {name: values.pop(name) for name in ("budget_tokens", "budget_calls") if name in values}
    plan = {"dimension": "polyphones", "language": "en", "number": number, "shortest": 40, "longest": 300, **values}
    return requesting.request(study=study, kind="texts", plan=plan, user=None, now=now, **limits)
