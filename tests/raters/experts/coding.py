"""A study whose reasons are coded, and experts who code them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from accounts.models import User
from raters.experts.coding import CODING, SentCoding, marks_of
from raters.models import Answer, Coding, CodingItem
from raters.rating.rules.codes import CodeMark
from studies.decisions import deciding, queue
from studies.decisions.queue import Card
from studies.models import Study
from tests.raters.experts.reviewing import answers, rated_study

PAUSES = CodeMark("pauses", "machine", 0, 9)
BREATH = CodeMark("paralinguistics", "human")


def coded_study(now: datetime, *, people: int = 1, **settings: Any) -> Study:
    """Return a study in which so many people have a valid batch of seven answers each, none of them coded twice."""
    given = {"coding__mode": "all", "coding__double_share": 0.0, "review__mode": "off", **settings}
    return rated_study(now, people=people, **given)


def change(study: Study, **settings: Any) -> None:
    """Change how the study is coded."""
    study.draft = {**study.draft, "coding": {**study.draft["coding"], **settings}}
    study.save(update_fields=["draft"])


def write(study: Study, *reasons: str) -> None:
    """Let the answers have these reasons, in turn."""
    for number, answer in enumerate(answers(study)):
        Answer.objects.filter(pk=answer.pk).update(reason=reasons[number % len(reasons)])


def next_of(study: Study, user: User, now: datetime) -> Card | None:
    """Return what this expert has before them."""
    offered = queue.offer(CODING, study=study, user_id=user.pk, now=now, count=1)
    return offered[0] if offered else None


def code(study: Study, user: User, now: datetime, marks: Sequence[CodeMark] = (PAUSES,), **given: Any) -> Coding:
    """Let an expert code what is before them."""
    card = next_of(study, user, now)
    assert card is not None
    return store(study=study, user=user, key=card.key, marks=marks, now=now, **given)


def store(*, marks: Sequence[CodeMark], note: str = "", **given: Any) -> Coding:
    """Let an expert code the text that a key names."""
    sent = SentCoding(marks=tuple(marks), note=note)
    stored = deciding.decide(CODING, sent=sent, **given)
    assert isinstance(stored, Coding)
    return stored


def undo(**given: Any) -> tuple[CodingItem | None, list[CodeMark]]:
    """Let an expert undo a coding; return its text if it is theirs again, and what they had found."""
    key, coding = deciding.undo(CODING, **given)
    return CodingItem.objects.get(key=key) if key else None, marks_of(coding)


def only(study: Study, item: CodingItem) -> None:
    """Let nothing wait but this one."""
    CodingItem.objects.filter(study=study).exclude(pk=item.pk).update(state="done")
