"""The three desks: the review of reasons, their coding, and the spot check before a launch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from pydantic import Field

from accounts.users.models import User
from core.spec import Spec
from raters.experts import coding, desk, queue_filling, review_queue, reviewing
from raters.rating.rules import codes
from raters.rating.rules.codes import CodeMark
from raters.rating.rules.polarity import (
    CONTRADICTS,
    DUPLICATE,
    MACHINE_DIFFERS,
    NEAR_DUPLICATE,
    REPETITIVE,
    SHARED,
    VERY_SHORT,
)
from raters.rating.rules.writing import DRAFTED, FEW_KEYS, PASTED
from studies.definition.settings.coding import Polarity
from studies.spot_checks import experts, queue

if TYPE_CHECKING:
    from studies.definition.models import Study
    from studies.definition.settings.coding import Code
    from studies.pool.queries import Pace


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """An answer: its code, what its button says, and what that means."""

    code: str
    label: str
    hint: str = ""


def forms() -> dict[str, list[AnswerOption]]:
    """Return the answers of each form, in the order of their keys."""
    return {
        "success": [
            AnswerOption("ok", _("In order"), _("none of the defects below")),
            AnswerOption("quality_defect", _("Quality defect"), _("heavy noise, jitter, distortion")),
            AnswerOption("incomplete", _("Incomplete"), _("cut off, very short, or silent")),
            AnswerOption("wrong_language", _("Wrong language"), _("not that of the text")),
            AnswerOption("mixed_voice", _("Mixed voices"), _("the voice changes in the clip")),
            AnswerOption("unintelligible", _("Unintelligible"), _("words can’t be made out")),
            AnswerOption("wrong_words", _("Wrong words"), _("not what the text says")),
            AnswerOption("other", _("Something else"), _("describe it in the note")),
        ],
        "consistency": [
            AnswerOption("yes", _("Yes"), _("they could be one voice")),
            AnswerOption("no", _("No"), _("timbre, language or prosody differ")),
            AnswerOption("cannot_tell", _("Cannot tell")),
        ],
    }


def labels() -> dict[str, str]:
    """Return {code: what its button says}."""
    return {option.code: option.label for options in forms().values() for option in options}


class SentDecision(Spec):
    """What the page sends of a decision."""

    decision: str = Field(max_length=20)
    note: str = Field("", max_length=10_000)


class SentSpotDecision(SentDecision):
    """A decision with the keys of the clips that were played."""

    played: tuple[str, ...] = Field((), max_length=100)


class ReviewDesk(desk.ExpertDesk):
    """Does what a rater wrote fit the label?"""

    name = address = "review"

    def is_on(self, study: Study) -> bool:
        return study.definition.review.mode != "off" and not study.is_draft

    def offer(self, study: Study, user: User, now: datetime, first: str) -> list[dict[str, Any]]:
        cards = review_queue.offer(study=study, user_id=user.pk, now=now, first=first)
        return [
            {
                "key": card.key,
                "answers": [{"clip": clip, "label": label} for clip, label in card.answers],
                "reason": card.reason,
                "clips": [desk.clip(study, clip, key) for clip, key in card.clips],
                "decisions": [{"decision": decision, "note": note} for decision, note in card.decisions],
            }
            for card in cards
        ]

    def pace(self, study: Study, user: User, now: datetime) -> Pace:
        return review_queue.pace(study.pk, study.definition.review, user.pk, now)

    def last_of(self, study: Study, user: User) -> str:
        return review_queue.last_of(study.pk, user.pk)

    def decide(self, study: Study, user: User, key: str, body: dict[str, Any], now: datetime) -> dict[str, Any]:
        sent = desk.parse(SentDecision, body)
        review = reviewing.decide(study=study, user=user, key=key, decision=sent.decision, note=sent.note, now=now)
        # Flags are shown only after the decision, so that they can't influence it.
        return {"last": review.key, "flags": [flag_label(flag) for flag in review_queue.flags_of(review.answer_id)]}

    def undo(self, study: Study, user: User, key: str, now: datetime) -> dict[str, Any]:
        item = reviewing.undo(study=study, user=user, key=key, now=now)
        return {"back": item.key if item is not None else ""}

    def put_off(self, study: Study, user: User, key: str, now: datetime) -> None:
        review_queue.put_off(study=study, user_id=user.pk, key=key, now=now)

    def title_and_about(self) -> tuple[str, str]:
        return _("Review reasons"), _("Does what a rater wrote fit the label that they chose?")


def flag_label(flag: str) -> str:
    """Return what a flag says, for people."""
    known = {
        VERY_SHORT: _("very short"),
        REPETITIVE: _("one word or a few characters again and again"),
        CONTRADICTS: _("its words contradict the label"),
        PASTED: _("pasted rather than typed"),
        FEW_KEYS: _("too few keystrokes for its length"),
        DRAFTED: _("inserted at once after leaving the page"),
        DUPLICATE: _("the same words as another reason"),
        NEAR_DUPLICATE: _("nearly the same words as another one of this rater"),
        MACHINE_DIFFERS: _("the judge and the raters disagree on this clip"),
        SHARED: _("nearly the same words as another rater’s"),
    }
    return known.get(flag, flag)


class SentMark(Spec):
    """One code found in a text, with the start and end of its words."""

    code: str = Field(max_length=40)
    polarity: Polarity = ""
    start: int | None = Field(None, ge=0)
    stop: int | None = Field(None, ge=0)


class SentCoding(Spec):
    """What the page sends of a coding."""

    marks: tuple[SentMark, ...] = Field(max_length=1000)
    note: str = Field("", max_length=10_000)


class CodingDesk(desk.ExpertDesk):
    """What in the voice does the rater name, and in which words?"""

    name = address = "coding"

    def is_on(self, study: Study) -> bool:
        return study.definition.coding.mode != "off" and not study.is_draft

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
        return coding.pace(study.pk, study.definition.coding, user.pk, now)

    def last_of(self, study: Study, user: User) -> str:
        return coding.last_of(study.pk, user.pk)

    def decide(self, study: Study, user: User, key: str, body: dict[str, Any], now: datetime) -> dict[str, Any]:
        sent = desk.parse(SentCoding, body)
        marks = [CodeMark(each.code, each.polarity, each.start, each.stop) for each in sent.marks]
        stored = coding.decide(study=study, user=user, key=key, marks=marks, note=sent.note, now=now)
        return {"last": stored.key}

    def undo(self, study: Study, user: User, key: str, now: datetime) -> dict[str, Any]:
        item, marks = coding.undo(study=study, user=user, key=key, now=now)
        known = {code.code for kind in KINDS for code in codes.book(kind, study.definition.coding)}
        usable_marks = [asdict(mark) for mark in marks if mark.code in known]
        return {"back": item.key if item is not None else "", "marks": usable_marks}

    def put_off(self, study: Study, user: User, key: str, now: datetime) -> None:
        coding.put_off(study=study, user_id=user.pk, key=key, now=now)

    def title_and_about(self) -> tuple[str, str]:
        return _("Code reasons"), _("What in the voice made raters decide? Name it with codes, and mark the words.")

    def context(self, study: Study) -> dict[str, Any]:
        return {"books": [(kind, code_groups(codes.book(kind, study.definition.coding))) for kind in KINDS]}


KINDS: tuple[codes.Kind, ...] = ("reason", "comment")


def code_groups(book: tuple[Code, ...]) -> list[dict[str, Any]]:
    """Return a codebook by dimension, each of up to nine codes with the digits that choose it."""
    groups: list[dict[str, Any]] = []
    ordered = sorted(book, key=lambda code: [each.dimension for each in book].index(code.dimension))
    for dimension, theirs in groupby(ordered, key=lambda code: code.dimension):
        some = list(theirs)
        name = _(dimension) if dimension else _("Codes")
        groups += [{"name": name, "codes": some[start : start + 9]} for start in range(0, len(some), 9)]
    for number, shelf in enumerate(groups, start=1):
        # A single group needs no digit, and there is no digit for a tenth.
        prefix = "" if len(groups) == 1 else str(number)
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
    return groups


class SpotDesk(desk.ExpertDesk):
    """Did the synthesis succeed? Could several takes be the same voice?"""

    name, address = "spot_check", "spot-check"

    def is_on(self, study: Study) -> bool:
        return queue.is_open(study)

    def prepare(self, study: Study) -> None:
        queue.fill(study=study)

    def filling(self, study: Study, now: datetime) -> queue_filling.FillingState:
        # The sample is drawn before it is shown.
        return queue_filling.NOTHING

    def offer(self, study: Study, user: User, now: datetime, first: str) -> list[dict[str, Any]]:
        cards = queue.offer(study=study, user_id=user.pk, now=now, first=first)
        clips = {clip.clip for card in cards for clip in card.clips}
        keys = experts.audio_keys(user_id=user.pk, clips=clips)
        played = experts.played(user_id=user.pk, clips=clips)
        return [
            {
                "key": card.key,
                "kind": card.kind,
                "clips": [
                    {**desk.clip(study, clip, key := keys[clip.clip]), "key": key, "played": clip.clip in played}
                    for clip in card.clips
                ],
                "decisions": [{"decision": code, "note": note} for code, note in card.decisions],
            }
            for card in cards
        ]

    def pace(self, study: Study, user: User, now: datetime) -> Pace:
        return queue.pace(study.pk, user.pk, now)

    def last_of(self, study: Study, user: User) -> str:
        return queue.last_of(study.pk, user.pk)

    def decide(self, study: Study, user: User, key: str, body: dict[str, Any], now: datetime) -> dict[str, Any]:
        sent = desk.parse(SentSpotDecision, body)
        experts.note_plays(user_id=user.pk, keys=sent.played, now=now)
        stored = queue.decide(study=study, user=user, key=key, code=sent.decision, note=sent.note, now=now)
        return {"last": stored.key}

    def undo(self, study: Study, user: User, key: str, now: datetime) -> dict[str, Any]:
        return {"back": queue.undo(study=study, user=user, key=key, now=now)}

    def put_off(self, study: Study, user: User, key: str, now: datetime) -> None:
        queue.put_off(study=study, user=user, key=key, now=now)

    def title_and_about(self) -> tuple[str, str]:
        about = _("Did the synthesis succeed? Could these be the same voice? Before the study is launched.")
        return _("Check clips"), about

    def context(self, study: Study) -> dict[str, Any]:
        return {"forms": [(kind, list(enumerate(answers, start=1))) for kind, answers in forms().items()]}
