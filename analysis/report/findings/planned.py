"""Which study this is, how it was planned, who took part, and how long it took them."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from analysis.data import rare
from analysis.data.groups import HUMAN
from analysis.report.findings import flow
from analysis.report.findings.given import Given, count, design, named
from analysis.report.findings.schema.checked import Breakdowns, Seconds, Times
from analysis.report.findings.schema.study import Design, Participants, Study, Thing
from analysis.stats.design import NotEstimable
from analysis.stats.refusals import THESE_TEXTS

if TYPE_CHECKING:
    from pandas import DataFrame


def study(given: Given) -> Study:
    """Return what the study is."""
    facts = given.facts
    return {
        "slug": facts["slug"],
        "title": facts["title"],
        "preset": given.definition.preset,
        "task_type": given.definition.task_type,
        "task": given.kind.label,
        "language": given.definition.texts.language,
        "launched_at": facts["launched_at"],
        "versions": list(given.settings.versions),
        "simulated": given.settings.simulated,
        "scale": given.scale,
    }


def plan(given: Given) -> Design:
    """Return the protocol, what was heard of each system, and what that means for the figures."""
    rows = given.tests
    if not len(rows):
        raise NotEstimable("No rating counts yet, so there is nothing to describe.")
    codes, names = named(rows)
    pieces = "clip"
    if len(given.compared):
        made, _ = design(given.compared)
        pieces = "raters" if made.has_few_texts else "text" if made.shares_texts else "clip"
    return {
        "protocol": given.definition.protocol.model_dump(mode="json"),
        "parameters": dict(given.definition.task),
        "systems": [_thing(name, kind, rows[codes == at]) for at, (name, kind) in enumerate(names)],
        "clips": int(rows["clip"].nunique()),
        "texts": len(set(rows["text"]) - {""}),
        "raters": int(rows["rater"].nunique()),
        "dimensions": _levels(rows, "dimension"),
        "benchmarks": _levels(rows, "benchmark"),
        "languages": _levels(rows, "language"),
        "human_tests": any(kind == HUMAN for _name, kind in names),
        "pieces": pieces,
        "margin": given.definition.results.margin,
        "scope": _scope(rows, pieces),
    }


def participants(given: Given) -> Participants:
    """Return how far people came, in sessions, what checks did, and how long those who finished took."""
    facts = given.facts
    minutes = facts["minutes"]
    found: Participants = {
        "steps": flow.steps(facts["ways"]),
        "raters": int(given.tests["rater"].nunique()),
        "minutes_median": median(minutes) if minutes else None,
        "minutes_sessions": len(minutes),
        "batches": facts["batches"],
    }
    if facts["checks"]:
        found["checks"] = [
            {  # type: ignore[typeddict-item]
                **check,
                "label": flow.check_name(check["name"]),
                "passed": check["decided"] - check["failed"],
            }
            for check in facts["checks"]
        ]
    if facts["attention"]["asked"]:
        found["attention"] = facts["attention"]
    if facts["screening_changed"]:
        found["screening_changed"] = True
    if "about" in facts:
        found["about"] = {key: rare.merged(codes) for key, codes in facts["about"].items()}
    return found


def times(given: Given) -> Times:
    """Return seconds a clip, median beside mean, by system and then of all (rule C4)."""
    rows: list[Seconds] = [
        {
            "name": row["name"],
            "kind": row["kind"],
            "clips": row["clips"],
            **{  # type: ignore[typeddict-item]
                f"{what}_{way}": None if row[what] is None else row[what][way]
                for what in ("response", "decision")
                for way in ("median", "mean")
            },
        }
        for row in given.facts["times"]
    ]
    if not rows:
        raise NotEstimable("No rating counts yet, so no time was taken.")
    return {"rows": rows}


def breakdowns(given: Given) -> Breakdowns:
    """Return how often each marker, error or label was given, by group (rules C3 and C5)."""
    if not given.kind.breakdowns:
        raise NotEstimable("This task asks for nothing beside its score.")
    tables = given.facts["breakdowns"]
    if not any(column["of"] for table in tables for columns in table["groups"].values() for column in columns):
        raise NotEstimable("No rating counts yet.")
    return {"tables": tables}


def _thing(name: str, kind: str, rows: DataFrame) -> Thing:
    return {
        "name": name,
        "kind": kind,
        "clips": int(rows["clip"].nunique()),
        "texts": len(set(rows["text"]) - {""}),
        "voices": _levels(rows, "voice"),
        "raters": int(rows["rater"].nunique()),
        "ratings": len(rows),
    }


def _levels(rows: DataFrame, name: str) -> list[str]:
    return sorted(set(rows[name]) - {""})


def _scope(rows: DataFrame, pieces: str) -> list[str]:
    """Say in sentences what the intervals speak of."""
    shared = "texts, which systems share," if pieces == "text" else "clips"
    drawn = THESE_TEXTS if pieces == "raters" else f"Intervals take raters and {shared} as drawn from many."
    found = [
        drawn,
        "Voices belong to their systems and were not drawn: the figures hold for these voices.",
    ]
    if len(set(rows["version"])) > 1:
        listed = ", ".join(str(number) for number in sorted(set(rows["version"])))
        found.append(f"Answers to versions {listed} of the study are pooled.")
    if rows["simulated"].any():
        made = int(rows.loc[rows["simulated"], "rater"].nunique())
        found.append(f"A program gave some of the answers ({count(made, 'simulated rater')}).")
    return found
