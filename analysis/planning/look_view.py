"""Planned looks as pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.planning.models import Look
from analysis.planning.stopping import CROSSED, IMPOSSIBLE, LookPlan
from analysis.plots.charts import percent, whole
from core.jobs import DONE, FAILED


def rows(plan: LookPlan, taken: Sequence[Look], *, is_hidden: bool) -> list[dict[str, Any]]:
    """Return each planned interim analysis with its results; while scores are hidden, its verdicts without numbers."""
    by_number = {look.number: look for look in taken}
    newest = max(by_number, default=0)
    table = []
    for number, line in enumerate(plan.lines, start=1):
        look = by_number.get(number)
        row: dict[str, Any] = {"number": number, "planned": line, "state": _("not due yet"), "contrasts": []}
        if look is None and number < newest:
            row["state"] = _("fell together with the next one")
        elif look is not None:
            row |= _taken(look, is_hidden=is_hidden)
        table.append(row)
    return table


def _taken(look: Look, *, is_hidden: bool) -> dict[str, Any]:
    if look.state == FAILED:
        return {"state": _("could not be taken: {why}").format(why=look.error), "at": look.due_at}
    if look.state != DONE:
        return {"state": _("being computed"), "at": look.due_at}
    return {
        "state": _("taken"),
        "at": look.ended_at,
        "ratings": whole(look.ratings),
        "share": percent(look.fraction, 1),
        "contrasts": [_contrast(entry, is_hidden=is_hidden) for entry in look.found],
    }


def _contrast(entry: dict[str, Any], *, is_hidden: bool) -> dict[str, Any]:
    verdicts = {CROSSED: _("past the limit: collection may stop"), IMPOSSIBLE: _("nothing to compare yet")}
    shown = {
        "names": f"{entry['first']} − {entry['second']}",
        "limit": f"{entry['limit']:.3f}",
        "p_limit": f"{entry['p_limit']:.2g}",
        "verdict": verdicts.get(entry["verdict"], _("within the limit: go on")),
        "has_crossed": entry["verdict"] == CROSSED,
    }
    if is_hidden or entry["z"] is None:
        return shown | {"z": "–", "p": "–", "difference": "–"}
    return shown | {"z": f"{entry['z']:.3f}", "p": f"{entry['p']:.2g}", "difference": f"{entry['difference']:+.3f}"}
