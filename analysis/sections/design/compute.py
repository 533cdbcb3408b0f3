"""The design as planned and as rated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.data.groups import HUMAN
from analysis.sections.design import Design, Thing
from analysis.sections.inputs import AnalysisInput, design_of, systems_of
from analysis.stats.design import NotEstimable
from analysis.stats.refusals import THESE_TEXTS
from core.text.words import say

if TYPE_CHECKING:
    from pandas import DataFrame


def compute(inputs: AnalysisInput) -> Design:
    """Return the protocol, the numbers of each system, and the figures' scope."""
    rows = inputs.tests
    if not len(rows):
        raise NotEstimable(say("No rating counts yet, so there is nothing to describe."))
    by_system = inputs.by_system
    codes, names = systems_of(by_system)
    pieces = "clip"
    if len(inputs.compared):
        design, _ = design_of(inputs.compared)
        pieces = "raters" if design.has_few_texts else "text" if design.repeats_texts else "clip"
    return Design(
        protocol=inputs.definition.protocol.model_dump(mode="json"),
        parameters=dict(inputs.definition.task),
        systems=tuple(_thing(name, kind, by_system[codes == at]) for at, (name, kind) in enumerate(names)),
        clips=int(by_system["clip"].nunique()),
        texts=len(set(rows["text"]) - {""}),
        raters=int(rows["rater"].nunique()),
        dimensions=tuple(_levels(rows, "dimension")),
        benchmarks=tuple(_levels(rows, "benchmark")),
        languages=tuple(_levels(rows, "language")),
        human_tests=any(kind == HUMAN for _name, kind in names),
        pieces=pieces,
        margin=inputs.margin,
        scope=tuple(_scope(rows, pieces)),
        # Only if present: analyses without them must not change by a byte.
        **({"accepted": inputs.facts.accepted} if inputs.facts.accepted else {}),
    )


def _thing(name: str, kind: str, rows: DataFrame) -> Thing:
    return Thing(
        name=name,
        kind=kind,
        clips=int(rows["clip"].nunique()),
        texts=len(set(rows["text"]) - {""}),
        voices=tuple(_levels(rows, "voice")),
        raters=int(rows["rater"].nunique()),
        ratings=len(rows),
    )


def _levels(rows: DataFrame, name: str) -> list[str]:
    return sorted(set(rows[name]) - {""})


def _scope(rows: DataFrame, pieces: str) -> list[str]:
    """Return sentences on what the intervals generalise to."""
    drawn = {
        "raters": THESE_TEXTS,
        "text": say("Intervals treat raters and texts as random samples."),
        "clip": say("Intervals treat raters and clips as random samples."),
    }[pieces]
    sentences = [
        drawn,
        say("Voices belong to their systems and aren’t a random sample: the figures hold for these voices only."),
    ]
    if len(set(rows["version"])) > 1:
        listed = ", ".join(str(number) for number in sorted(set(rows["version"])))
        sentences.append(say("Answers to versions {versions} of the study are pooled.", versions=listed))
    if rows["simulated"].any():
        simulated = int(rows.loc[rows["simulated"], "rater"].nunique())
        if rows["simulated"].all():
            sentences.append(say("A program gave all of the answers. Simulated raters: {n}.", n=f"{simulated:,}"))
        else:
            sentences.append(say("A program gave some of the answers. Simulated raters: {n}.", n=f"{simulated:,}"))
    return sentences
