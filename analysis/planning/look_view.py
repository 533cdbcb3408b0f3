"""Planned interim analyses, prepared for pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext
from django.utils.translation import gettext as _
from pydantic import TypeAdapter, ValidationError

from analysis.planning.models import Look
from analysis.planning.result import LookContrast, UntestedContrast
from analysis.planning.stopping import LookPlan
from core.jobs import DONE, FAILED
from core.text import languages, words
from core.text.numbers import percent, whole

FOUND: TypeAdapter[list[LookContrast]] = TypeAdapter(list[LookContrast])


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """A contrast at one interim analysis."""

    names: str
    limit: str
    p_limit: str
    verdict: str
    has_crossed: bool
    z: str = "–"
    p: str = "–"
    difference: str = "–"


@dataclass(frozen=True, slots=True)
class LookRow:
    """A planned interim analysis; once computed, with its contrasts, unless this release can't read them."""

    number: int
    planned: str
    state: str
    at: datetime | None = None
    ratings: str = ""
    share: str = ""
    contrasts: tuple[ContrastRow, ...] = ()
    is_unreadable: bool = False


def rows(plan: LookPlan, looks: Sequence[Look], *, is_hidden: bool) -> list[LookRow]:
    """Return each planned interim analysis with its results; while scores are hidden, verdicts without numbers."""
    by_number = {look.number: look for look in looks}
    newest = max(by_number, default=0)
    table = []
    for number, line in enumerate(plan.lines, start=1):
        look = by_number.get(number)
        if look is not None:
            table.append(_row(number, line, look, is_hidden=is_hidden))
        else:
            state = _("fell together with the next one") if number < newest else _("not due yet")
            table.append(LookRow(number, line, state))
    return table


def _row(number: int, line: str, look: Look, *, is_hidden: bool) -> LookRow:
    if look.state == FAILED:
        return LookRow(number, line, _("could not be taken: {why}").format(why=gettext(look.error)), look.due_at)
    if look.state != DONE:
        return LookRow(number, line, _("being computed"), look.due_at)
    try:
        entries = FOUND.validate_python(look.found)
    except ValidationError:
        # Never computed again: the record is evidence of what was seen then.
        state = _("taken, but this release can’t read what was recorded; nothing was changed or computed again")
        return LookRow(number, line, state, look.ended_at, is_unreadable=True)
    contrasts = tuple(_contrast(entry, is_hidden=is_hidden) for entry in entries)
    ratings, share = whole(look.ratings), percent(look.fraction, 1)
    return LookRow(number, line, _("taken"), look.ended_at, ratings, share, contrasts)


def _contrast(entry: LookContrast, *, is_hidden: bool) -> ContrastRow:
    verdicts = {
        "crossed": _("past the limit: collection may stop"),
        "open": _("within the limit: go on"),
        "impossible": _("nothing to compare yet"),
    }
    row = ContrastRow(
        names=f"{entry.first} − {entry.second}",
        limit=f"{entry.limit:.3f}",
        p_limit=f"{entry.p_limit:.2g}",
        verdict=verdicts[entry.verdict],
        has_crossed=entry.verdict == "crossed",
    )
    if isinstance(entry, UntestedContrast) and entry.why:
        why = languages.translate(words.restored(entry.why))
        return replace(row, verdict=_("can’t be tested yet: {why}").format(why=why))
    if is_hidden or isinstance(entry, UntestedContrast):
        return row
    return replace(row, z=f"{entry.z:.3f}", p=f"{entry.p:.2g}", difference=f"{entry.difference:+.3f}")
