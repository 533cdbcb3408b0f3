"""Coding of raters' texts: which codes of the codebook apply, and to which words (rule E2)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field

from core.errors import Conflict, Invalid
from raters.experts import answers
from raters.experts.models import Coding, CodingItem, CodingMark, CodingSkip
from raters.rating.models import Rating
from raters.rating.rules import codes
from raters.rating.rules.codes import CodeMark
from studies.decisions.holding import OneHolder
from studies.decisions.kinds import Sent
from studies.definition.settings.coding import Code, CodingSettings
from studies.rules.decisions import Draws

if TYPE_CHECKING:
    from accounts.users.models import User
    from studies.definition.models import Study

KINDS: tuple[codes.Kind, ...] = ("reason", "comment")
MOST_MARKS = 100


class SentCoding(Sent):
    """All codes found in a text; an empty list means that no code fits."""

    marks: tuple[CodeMark, ...] = Field(max_length=1000)


class CodingKind(answers.AnswerKind):
    """Two experts code a random share. Their codings are compared; there is no third expert."""

    name = address = "coding"
    template = "raters/experts/coding.html"
    title = gettext_lazy("Code reasons")
    about = gettext_lazy("What in the voice made raters decide? Name it with codes, and mark the words.")
    items, decisions, holding = CodingItem, Coding, OneHolder(CodingSkip)
    sent = SentCoding

    def settings(self, study: Study) -> CodingSettings:
        return study.definition.coding

    def shown(self, items: Sequence[CodingItem]) -> dict[int, dict[str, Any]]:
        rows = CodingItem.objects.select_related("answer__trial__session", "rating__question")
        texts = rows.in_bulk([item.pk for item in items])
        of_reasons = [item for item in texts.values() if item.rating_id is None]
        labels = answers.labels_of({item.answer_id: item.answer.trial.session.version_id for item in of_reasons})
        return {
            pk: {
                "kind": kind_of(item),
                "text": text_of(item),
                "answers": labels[item.answer_id] if item.rating is None else [],
                "question": item.rating.question.prompt if item.rating is not None and item.rating.question else "",
            }
            for pk, item in texts.items()
        }

    def record(self, item: CodingItem, valid: Sequence[Coding]) -> dict[str, Any]:
        book = codes.book(kind_of(item), self.settings(item.study))
        return {
            "kind": kind_of(item),
            "codes": [asdict(code) for code in book],
            "text_sha256": hashlib.sha256(text_of(item).encode()).hexdigest(),
        }

    def check(self, user: User, item: CodingItem, sent: Any) -> None:
        if len(sent.marks) > MOST_MARKS:
            many = _("Choose at most {number}.").format(number=MOST_MARKS)
            raise Invalid(_("These are too many codes for one text."), {"marks": many})
        super().check(user, item, sent)
        if not text_of(item):
            raise Conflict(_("This answer has been withdrawn. Here is the next one."), code="withdrawn")
        if problems := codes.problems(kind_of(item), self.settings(item.study), text_of(item), sent.marks):
            raise Invalid(" ".join(dict.fromkeys(problems.values())), problems)

    def outcome(self, decision: Coding) -> str:
        return "coded"

    def store(self, decision: Coding, sent: Any) -> None:
        settings = self.settings(decision.study)
        book = {code.code: code for code in codes.book(kind_of(decision.item), settings)}
        CodingMark.objects.bulk_create(
            CodingMark(coding=decision, name=book[mark.code].name, dimension=book[mark.code].dimension, **asdict(mark))
            for mark in sent.marks
        )

    def is_same(self, decision: Coding, sent: Any) -> bool:
        return set(marks_of(decision)) == set(sent.marks)

    def undone(self, study: Study, decision: Coding) -> dict[str, Any]:
        known = {code.code for kind in KINDS for code in codes.book(kind, self.settings(study))}
        return {"marks": [asdict(mark) for mark in marks_of(decision) if mark.code in known]}

    def context(self, study: Study) -> dict[str, Any]:
        return {"books": [(kind, code_groups(codes.book(kind, self.settings(study)))) for kind in KINDS]}

    def missing(self, study: Study, trials: Collection[int] | None) -> list[tuple[Any, ...]]:
        settings, simulated = self.settings(study), "trial__session__simulated"
        reasons = answers.reasons(study.pk, settings)
        comments = Rating.objects.filter(study=study, trial__usable=True, trial__item__role="test").exclude(note="")
        if not settings.simulated:
            comments = comments.filter(**{simulated: False})
        known = Q(study=study)
        if trials is not None:
            reasons, comments = reasons.filter(pk__in=trials), comments.filter(trial__in=trials)
            known = Q(answer__in=trials)
        queued = CodingItem.objects.filter(known, rating=None).values("answer")
        new: list[tuple[Any, ...]] = [
            (pk, "", is_simulated) for pk, is_simulated in reasons.exclude(pk__in=queued).values_list("pk", simulated)
        ]
        return [*new, *comments.filter(coding_item=None).values_list("trial_id", "pk", simulated)]

    def add(self, study: Study, drawn: Mapping[tuple[Any, ...], Draws]) -> None:
        items = [
            CodingItem(
                study=study,
                answer_id=answer,
                rating_id=rating or None,
                simulated=is_simulated,
                draw=draw,
                double_draw=double_draw,
            )
            for (answer, rating, is_simulated), (draw, double_draw) in drawn.items()
        ]
        CodingItem.objects.bulk_create(items, ignore_conflicts=True, batch_size=200)


CODING = CodingKind()


def kind_of(item: CodingItem) -> codes.Kind:
    return "reason" if item.rating_id is None else "comment"


def text_of(item: CodingItem) -> str:
    """Return the rater's text; empty after an erasure."""
    return item.answer.reason if item.rating is None else item.rating.note


def marks_of(coding: Coding) -> list[CodeMark]:
    """Return the marks in the order they were made."""
    rows = CodingMark.objects.filter(coding=coding).order_by("pk")
    columns: Any = rows.values_list("code", "polarity", "start", "stop")
    return [CodeMark(*row) for row in columns]


def code_groups(book: tuple[Code, ...]) -> list[dict[str, Any]]:
    """Return a codebook by dimension, split into groups of at most nine codes, each with its shortcut digits."""
    groups: list[dict[str, Any]] = []
    ordered = sorted(book, key=lambda code: [each.dimension for each in book].index(code.dimension))
    for dimension, theirs in groupby(ordered, key=lambda code: code.dimension):
        some = list(theirs)
        name = _(dimension) if dimension else _("Codes")
        groups += [{"name": name, "codes": some[start : start + 9]} for start in range(0, len(some), 9)]
    for number, shelf in enumerate(groups, start=1):
        # A single group needs no digit, and a tenth group has none.
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
