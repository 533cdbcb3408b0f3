"""Who takes part, on a study's page: raters by gender and age, as they described themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from raters.sessions import questionnaire
from raters.sessions.questionnaire import Balance
from raters.sessions.questionnaire_form import LABELS
from studies.definition.settings.questionnaire import AGE, CODES, GENDER, NOT_SAID, SKIPPED

if TYPE_CHECKING:
    from studies.definition.models import Study

UNSAID = "unsaid"
ORDER = {key: (*CODES[key], UNSAID) for key in (GENDER, AGE)}


@dataclass(frozen=True, slots=True)
class BalanceCell:
    """How many raters; `width` is the bar's, as a share of the largest cell."""

    raters: int
    width: str


@dataclass(frozen=True, slots=True)
class AgeRow:
    """One age band."""

    label: str
    cells: tuple[BalanceCell, ...]
    raters: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Age bands by gender; bands and genders without answers are left out."""

    genders: tuple[str, ...]
    rows: tuple[AgeRow, ...]
    totals: tuple[int, ...]
    raters: int


def panel(study: Study) -> str:
    """Show who answered the questionnaire; simulated raters only as long as there are no real ones."""
    settings = study.definition.questionnaire
    balance = questionnaire.balance(study.pk, simulated=False)
    is_simulated = not balance
    balance = balance or questionnaire.balance(study.pk, simulated=True)
    context = {"asks": settings.gender or settings.age, "grid": grid(balance), "is_simulated": is_simulated}
    return render_to_string("admin/raters/balance.html", context)


def grid(groups: Sequence[Balance]) -> Grid | None:
    """Arrange the counts; None when there are none."""
    counts: dict[tuple[str, str], int] = {}
    for each in groups:
        at = _unsaid(each.age), _unsaid(each.gender)
        counts[at] = counts.get(at, 0) + each.raters
    if not counts:
        return None
    ages = [code for code in ORDER[AGE] if any(age == code for age, _gender in counts)]
    genders = [code for code in ORDER[GENDER] if any(gender == code for _age, gender in counts)]
    most = max(counts.values())

    def cell(age: str, gender: str) -> BalanceCell:
        raters = counts.get((age, gender), 0)
        return BalanceCell(raters, f"{100 * raters / most:.1f}%")

    rows = tuple(
        AgeRow(
            _label(age),
            tuple(cell(age, gender) for gender in genders),
            sum(counts.get((age, gender), 0) for gender in genders),
        )
        for age in ages
    )
    totals = tuple(sum(counts.get((age, gender), 0) for age in ages) for gender in genders)
    return Grid(tuple(_label(gender) for gender in genders), rows, totals, sum(totals))


def _unsaid(code: str) -> str:
    return UNSAID if code in {"", NOT_SAID, SKIPPED} else code


def _label(code: str) -> str:
    return _("Not said") if code == UNSAID else str(LABELS[code])
