"""The desk at which experts code what raters wrote."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from pydantic import Field

from accounts.models import User
from core.spec import Spec
from raters.reasons import codes
from raters.reasons.codes import Mark
from raters.selectors import coding as select
from raters.services import coding
from raters.views.experts import desk
from studies.presets.coding import Polarity

if TYPE_CHECKING:
    from studies.models import Study
    from studies.presets.coding import Code
    from studies.selectors.pace import Pace


class SentMark(Spec):
    """One code that was found, and from where to where its words stand."""

    code: str = Field(max_length=40)
    polarity: Polarity = ""
    start: int | None = Field(None, ge=0)
    stop: int | None = Field(None, ge=0)


class Coded(Spec):
    """What the page sends of a coding."""

    marks: tuple[SentMark, ...] = Field(max_length=1000)
    note: str = Field("", max_length=10_000)


class CodingDesk(desk.Desk):
    """What in the voice does the rater name, and in which words?"""

    name = address = "coding"

    def is_on(self, study: Study) -> bool:
        return study.definition.coding.mode != "off" and study.state != study.State.DRAFT

    def offer(self, study: Study, user: User, now: datetime, first: str) -> list[dict[str, Any]]:
        cards = coding.offer(study=study, user_id=user.pk, now=now, first=first)
        return [
            {
                "key": card.key,
                "kind": card.kind,
                "text": card.text,
                "answers": [{"clip": clip, "label": label} for clip, label in card.answers],
                "question": card.question,
                "clips": [desk.clip(study, clip, key) for clip, key in card.clips],
            }
            for card in cards
        ]

    def pace(self, study: Study, user: User, now: datetime) -> Pace:
        return select.pace(study.pk, study.definition.coding, user.pk, now)

    def last_of(self, study: Study, user: User) -> str:
        return select.last_of(study.pk, user.pk)

    def decide(self, study: Study, user: User, key: str, body: dict[str, Any], now: datetime) -> dict[str, Any]:
        sent = desk.parse(Coded, body)
        marks = [Mark(each.code, each.polarity, each.start, each.stop) for each in sent.marks]
        made = coding.decide(study=study, user=user, key=key, marks=marks, note=sent.note, now=now)
        return {"last": made.key}

    def undo(self, study: Study, user: User, key: str, now: datetime) -> dict[str, Any]:
        item, marks = coding.undo(study=study, user=user, key=key, now=now)
        known = {code.code for kind in KINDS for code in codes.book(kind, study.definition.coding)}
        kept = [asdict(mark) for mark in marks if mark.code in known]
        return {"back": item.key if item is not None else "", "marks": kept}

    def put_off(self, study: Study, user: User, key: str, now: datetime) -> None:
        coding.put_off(study=study, user_id=user.pk, key=key, now=now)

    def words(self) -> tuple[str, str]:
        return _("Code reasons"), _("What in the voice made raters decide? Name it with codes, and mark the words.")

    def context(self, study: Study) -> dict[str, Any]:
        return {"books": [(kind, shelves(codes.book(kind, study.definition.coding))) for kind in KINDS]}


KINDS: tuple[codes.Kind, ...] = ("reason", "comment")


def shelves(book: tuple[Code, ...]) -> list[dict[str, Any]]:
    """Return a codebook by dimension, each of up to nine codes with the digits that choose it."""
    found: list[dict[str, Any]] = []
    ordered = sorted(book, key=lambda code: [each.dimension for each in book].index(code.dimension))
    for dimension, theirs in groupby(ordered, key=lambda code: code.dimension):
        some = list(theirs)
        name = _(dimension) if dimension else _("Codes")
        found += [{"name": name, "codes": some[start : start + 9]} for start in range(0, len(some), 9)]
    for number, shelf in enumerate(found, start=1):
        # One shelf needs no digit of its own, and there is none for a tenth.
        prefix = "" if len(found) == 1 else str(number)
        shelf["codes"] = [
            {
                "code": code.code,
                "name": _(code.name),
                "about": _(code.about) if code.about else "",
                "polarity": code.polarity,
                "key": f"{prefix}{place}" if number < 10 else "",
            }
            for place, code in enumerate(shelf["codes"], start=1)
        ]
    return found
