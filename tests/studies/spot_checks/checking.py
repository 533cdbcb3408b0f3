"""A draft with synthesised clips, and experts who check them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from studies.decisions import deciding, experts, queue
from studies.decisions.kinds import SentDecision
from studies.decisions.queue import Card
from studies.models import Clip, SpotDecision, SpotItem, Study, Text
from studies.spot_checks.checking import SPOT_CHECK
from tests.world import make_study


def draft(now: datetime, **settings: Any) -> Study:
    """Return a draft that requires the check: 21 texts, each said by human, alpha and beta."""
    given = {"spot_check__mode": "required", "texts": 21, **settings}
    return make_study(now=now, launch=False, **given)


def again(clip: Clip, take: str, file: str = "") -> Clip:
    """Add another take of what a clip says."""
    values = {field.name: getattr(clip, field.name) for field in Clip._meta.concrete_fields if field.name != "id"}
    file = file or f"{clip.file}-{take}"
    return Clip.objects.create(**{**values, "file": file, "take": take, "withdrawn_at": None})


def with_takes(study: Study, system: str = "alpha", texts: int = 1) -> Study:
    """Let a system say its first texts twice."""
    for text in Text.objects.filter(study=study).order_by("pk")[:texts]:
        clip = Clip.objects.get(study=study, system__name=system, text=text)
        Clip.objects.filter(pk=clip.pk).update(take="1")
        again(clip, "2")
    return study


def change(study: Study, **settings: Any) -> None:
    """Change how the study is checked."""
    study.draft = {**study.draft, "spot_check": {**study.draft["spot_check"], **settings}}
    study.save(update_fields=["draft"])


def offered(study: Study, user: User, now: datetime) -> Card | None:
    """Return what this expert has before them."""
    cards = queue.offer(SPOT_CHECK, study=study, user_id=user.pk, now=now, count=1)
    return cards[0] if cards else None


def hear(user: User, card: Card, now: datetime) -> None:
    """Let an expert play the clips of a card."""
    keys = experts.audio_keys(user_id=user.pk, clips=[clip.clip for clip, _key in card.clips])
    experts.note_plays(user_id=user.pk, keys=keys.values(), now=now)


def item_of(card: Card) -> SpotItem:
    return SpotItem.objects.get(turns__key=card.key)


def decide(study: Study, user: User, now: datetime, code: str = "", **given: Any) -> SpotDecision:
    """Let an expert decide what is before them; without a code, that it is well."""
    card = offered(study, user, now)
    assert card is not None
    hear(user, card, now)
    code = code or ("ok" if card.shown["kind"] == "success" else "yes")
    return store(study=study, user=user, key=card.key, code=code, now=now, **given)


def store(*, code: str, note: str = "", **given: Any) -> SpotDecision:
    """Let an expert decide the item that a key names."""
    stored = deciding.decide(SPOT_CHECK, sent=SentDecision(decision=code, note=note), **given)
    assert isinstance(stored, SpotDecision)
    return stored


def decide_all(study: Study, user: User, now: datetime, code: Callable[[SpotItem], str] = lambda item: "") -> int:
    """Let an expert decide all that waits for them, by what it really is; return how much that was."""
    number = 0
    while (card := offered(study, user, now)) is not None:
        now += timedelta(seconds=4)
        decide(study, user, now, code(item_of(card)), note="as heard")
        number += 1
    return number
