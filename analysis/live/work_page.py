"""How the work goes: people, places, quotas and checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analysis.plots.charts import percent, tenths, whole


@dataclass(frozen=True, slots=True)
class HeatCell:
    """Ratings per clip of one system and dimension, and how near that is to what is wanted (0 to 5)."""

    shown: str
    detail: str
    level: int


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of the way that people take, its count, and its share of those who arrived."""

    label: str
    count: str
    width: str
    is_exit: bool = False


def heat(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the coverage as a table: dimensions across, systems down; a screen belongs to all its systems."""
    coverage = figures["coverage"]
    cells = {(cell["system"], cell["dimension"]): cell for cell in coverage["cells"]}
    systems, dimensions = sorted({key[0] for key in cells}), sorted({key[1] for key in cells})
    rows = [
        (system or _("all systems together"), [_heat_cell(cells.get((system, dimension))) for dimension in dimensions])
        for system in systems
    ]
    unnamed = _("not given") if any(dimensions) else _("all screens") if systems == [""] else _("all clips")
    return {
        "dimensions": [dimension or unnamed for dimension in dimensions],
        "rows": rows,
        "is_screens": systems == [""],
        "reopened": whole(coverage["reopened"]) if coverage["reopened"] else "",
        "all": whole(coverage["clips"]),
    }


def _heat_cell(cell: dict[str, Any] | None) -> HeatCell | None:
    if cell is None:
        return None
    share = cell["filled"] / cell["wanted"]
    each, wanted = tenths(cell["usable"] / cell["clips"]), tenths(cell["wanted"] / cell["clips"])
    if cell["system"]:
        text = _("{usable} usable ratings of {clips} clips; {each} a clip, {wanted} wanted")
    else:
        text = _("{usable} usable ratings of {clips} screens; {each} a screen, {wanted} wanted")
    detail = text.format(usable=whole(cell["usable"]), clips=whole(cell["clips"]), each=each, wanted=wanted)
    return HeatCell(each, detail, 5 if share == 1 else int(5 * share))


def flow(figures: dict[str, Any]) -> list[Step]:
    """Return how far people came."""
    people = figures["people"]
    stages = [
        (_("arrived"), people["arrived"], False),
        (_("agreed to take part"), people["consented"], False),
        (_("began to rate"), people["started"], False),
        (_("rating now or later"), people["rating"], False),
        (_("complete"), people["complete"], False),
        (_("declined"), people["declined"], True),
        (_("withdrew"), people["withdrawn"], True),
    ]
    # Not in figures of an earlier release, and of no interest to a study that checks nobody.
    if people.get("screened_out"):
        stages.insert(-1, (_("left out by the first checks"), people["screened_out"], True))
    of = max(people["arrived"], 1)
    return [Step(label, whole(count), f"{100 * count / of:.2f}%", leaves) for label, count, leaves in stages]


def traps(figures: dict[str, Any]) -> list[dict[str, str]]:
    """Return how well each kind of trap is answered; nothing where a study has none."""
    labels = {"trap_flawed": _("Flawed traps answered rightly"), "trap_human": _("Human traps answered rightly")}
    return [_bar(labels.get(row["role"], row["role"]), row["right"], row["asked"]) for row in figures["traps"]]


def rule(figures: dict[str, Any]) -> dict[str, Any] | None:
    """Return the results of the task's own rule on raters; None where it has none."""
    result = figures["rule"]
    if result is None:
        return None
    names = {"golden": _("the golden questions"), "hidden_reference": _("the hidden reference")}
    name = names.get(result["name"], result["name"])
    lost = _bar(_("Sessions lost to {rule}").format(rule=name), result["lost"], figures["people"]["started"])
    bars = [lost]
    if result["name"] == "golden":
        bars.insert(0, _bar(_("Golden questions answered rightly"), result["right"], result["asked"]))
    return {"name": name, "bars": bars}


def _bar(label: str, part: int, of: int) -> dict[str, str]:
    share = part / of if of else None
    return {
        "label": label,
        "share": "–" if share is None else percent(share),
        "width": f"{100 * (share or 0):.2f}%",
        "right": whole(part),
        "asked": whole(of),
    }


def quota(figures: dict[str, Any]) -> dict[str, Any] | None:
    """Return the different raters and utterances of each system and benchmark against what is wanted."""
    if not figures["quota"]:
        return None
    wanted = figures["quota_wanted"]
    columns = [(name, wanted[name]) for name in ("raters", "utterances") if wanted[name]]
    rows = [
        {
            "name": row["name"],
            "benchmark": row["benchmark"],
            "cells": [
                {
                    "count": whole(row[name]),
                    "of": whole(limit),
                    "value": min(row[name], limit),
                    "max": limit,
                    "what": name,
                }
                for name, limit in columns
            ],
            "is_met": all(row[name] >= limit for name, limit in columns),
        }
        for row in figures["quota"]
    ]
    return {
        "columns": [name for name, _limit in columns],
        "rows": rows,
        "has_benchmarks": any(row["benchmark"] for row in rows),
        "met": whole(sum(row["is_met"] for row in rows)),
        "all": whole(len(rows)),
    }


def tiles(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the four numbers at the top."""
    batches, coverage, minutes = figures["batches"], figures["coverage"], figures["minutes"]
    decided = batches["valid"] + batches["invalid"]
    return {
        "active": whole(figures["active"]),
        "arrived": whole(figures["people"]["arrived"]),
        "filled": whole(coverage["filled"]),
        "wanted": whole(coverage["wanted"]),
        "filled_number": coverage["filled"],
        "wanted_number": coverage["wanted"],
        "surplus": whole(coverage["usable"] - coverage["filled"]) if coverage["usable"] > coverage["filled"] else "",
        "has_traps": bool(figures["traps"]),
        "valid": percent(batches["valid"] / decided) if decided else "–",
        "decided_number": decided,
        "decided": whole(decided),
        "valid_number": whole(batches["valid"]),
        "guesser": percent(figures["guesser"], 1),
        "checked": _checked(figures),
        "minutes": "–" if minutes["median"] is None else tenths(minutes["median"]),
        "sessions": whole(minutes["sessions"]),
    }


def _checked(figures: dict[str, Any]) -> dict[str, str]:
    """Return what is shown instead of valid batches in a study without traps."""
    result = rule(figures)
    if result is None:
        batches = figures["batches"]
        waiting = _("{n} being checked").format(n=whole(batches["waiting"]))
        return {"label": _("Full batches"), "number": whole(batches["valid"] + batches["invalid"]), "detail": waiting}
    main, lost = result["bars"][0], result["bars"][-1]
    counted = _("{n} of {all}").format(n=main["right"], all=main["asked"])
    if main is lost:
        return {"label": lost["label"], "number": lost["right"], "detail": counted}
    cost = _("sessions lost: {n}").format(n=lost["right"])
    return {"label": main["label"], "number": main["share"], "detail": f"{counted}; {cost}"}
