"""The panel "who takes part" on a study's page: raters by gender and age, from the questionnaire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from core import clock
from raters.rating import monitor
from raters.sessions import questionnaire
from raters.sessions.questionnaire import Balance
from raters.sessions.questionnaire_form import LABELS
from studies.definition.settings.questionnaire import AGE, CODES, GENDER, NOT_SAID, SKIPPED
from studies.summaries import services as summaries
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study

UNSAID = "unsaid"
ORDER = {key: (*CODES[key], UNSAID) for key in (GENDER, AGE)}


@dataclass(frozen=True, slots=True)
class AgeRow:
    """Counts of one age band, by gender."""

    label: str
    cells: tuple[int, ...]
    raters: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Age bands by gender, without empty ones; `most` is the largest cell."""

    genders: tuple[str, ...]
    rows: tuple[AgeRow, ...]
    totals: tuple[int, ...]
    raters: int
    most: int


@dataclass(frozen=True, slots=True)
class WhoAnswered:
    """Raters by gender and age; simulated ones only while there are no real ones."""

    groups: list[Balance]
    is_simulated: bool


def who_answered(study: Study, choice: str) -> WhoAnswered:
    """Count all raters by gender and age."""
    real = questionnaire.balance(study.pk, simulated=False)
    return WhoAnswered(real or questionnaire.balance(study.pk, simulated=True), not real)


BALANCE = SummaryKind("balance", WhoAnswered, who_answered, lambda study: monitor.sessions_of(study.pk, None))


def panel(study: Study) -> str:
    """Render the panel."""
    settings = study.definition.questionnaire
    shown = summaries.summary(BALANCE, study, now=clock.now())
    context = {
        "asks": settings.gender or settings.age,
        "shown": shown,
        "grid": grid(shown.value.groups) if shown.value else None,
        "is_simulated": shown.value is not None and shown.value.is_simulated,
    }
    return render_to_string("admin/raters/balance.html", {"study": study, **context})


def grid(groups: Sequence[Balance]) -> Grid | None:
    """Arrange the counts in a table; None if there are none."""
    counts: dict[tuple[str, str], int] = {}
    for each in groups:
        at = _unsaid(each.age), _unsaid(each.gender)
        counts[at] = counts.get(at, 0) + each.raters
    if not counts:
        return None
    ages = [code for code in ORDER[AGE] if any(age == code for age, _gender in counts)]
    genders = [code for code in ORDER[GENDER] if any(gender == code for _age, gender in counts)]
    cells = {age: tuple(counts.get((age, gender), 0) for gender in genders) for age in ages}
    rows = tuple(AgeRow(_label(age), row, sum(row)) for age, row in cells.items())
    totals = tuple(map(sum, zip(*cells.values(), strict=True)))
    return Grid(tuple(_label(gender) for gender in genders), rows, totals, sum(totals), max(counts.values()))


def _unsaid(code: str) -> str:
    return UNSAID if code in {"", NOT_SAID, SKIPPED} else code


def _label(code: str) -> str:
    return _("Not said") if code == UNSAID else str(LABELS[code])
