"""A study's usable scores as input for the statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.data import groups
from analysis.data.sides import sides_of
from core.text.words import say
from raters.rating import ratings
from studies.clips import tables as clips_tables
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from analysis.stats.design import Design


@dataclass(frozen=True, slots=True)
class Usable:
    """Usable test scores of real raters: the design, the systems' names by code, and the number of answers.

    If systems met several others, pairs of them take the place of systems.
    """

    design: Design
    systems: tuple[str, ...]
    answers: int


def usable(study_id: int, part: str, simulated: bool | None = False) -> Usable:
    """Read the usable scores of systems and human speech, without anchors; raises NotEstimable if there are none."""
    from analysis.stats.design import Design, NotEstimable

    about = clips_tables.groups(study_id)
    rows = [
        row
        for row in ratings.scores(study_id, part, simulated)
        if row.usable and groups.kind(about[row.clip]) != groups.ANCHOR
    ]
    if not rows:
        raise NotEstimable(say("There are no usable ratings yet."))
    names, values = [groups.system(about[row.clip]) for row in rows], [row.value for row in rows]
    kind = definition_queries.definition(definition_queries.study_of(study_id)).kind
    known = sides_of(study_id, kind)
    if known is not None and known.baseline is None:
        others = [groups.system(about[known.others[row.item]]) for row in rows]
        ends = kind.score.low + kind.score.high
        values = [
            value if own < other else ends - value for own, other, value in zip(names, others, values, strict=True)
        ]
        names = [" – ".join(sorted(pair)) for pair in zip(names, others, strict=True)]
    texts = [about[row.clip].text for row in rows]
    # A clip without a named text counts as a text of its own.
    spoken = [-1 - row.clip if text is None else text for row, text in zip(rows, texts, strict=True)]
    design = Design.of(values, [row.rater for row in rows], names, [row.clip for row in rows], spoken)
    return Usable(design, tuple(sorted(set(names))), len({row.trial for row in rows}))
