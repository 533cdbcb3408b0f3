"""Coverage of dimensions by a study's texts and clips, in each box."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from studies.clips import figures
from studies.corpus import queries
from studies.corpus.models import CorpusText
from studies.definition.models import Study

BOXES = ("white", "black", "")


@dataclass(frozen=True, slots=True)
class Cell:
    """Texts of a dimension in a box: all except rejected ones, and those ready for lists."""

    usable: int
    total: int


@dataclass(frozen=True, slots=True)
class Row:
    """A dimension with its cells in the order of the boxes, and its clips by system."""

    name: str
    label: str
    explanation: str
    cells: list[Cell]
    clips: list[int]


@dataclass(frozen=True, slots=True)
class Coverage:
    """One row a dimension: the study's own first, then others that texts or clips name."""

    boxes: list[str]
    systems: list[str]
    rows: list[Row]


def _counted(rows: QuerySet[CorpusText]) -> Counter[tuple[str, str]]:
    """Count texts by dimension and box."""
    groups = rows.order_by().values_list("dimension", "box").annotate(number=Count("pk"))
    return Counter({(dimension, box): number for dimension, box, number in groups})


def coverage(study: Study) -> Coverage:
    """Count texts by dimension and box, and clips by dimension and system."""
    texts = _counted(CorpusText.objects.filter(study=study).exclude(state="rejected"))
    usable = _counted(queries.usable(study))
    clips: Counter[tuple[str, str]] = Counter()
    for group in figures.groups(study.pk):
        clips[group.dimension, group.system] += group.clips
    systems = sorted({system for _dimension, system in clips})
    boxes = [box for box in BOXES if box or any(not of for _dimension, of in texts)]
    known = {each.name: each for each in queries.dimensions(study)}
    others = {dimension for dimension, _ in (*texts, *clips)} - set(known)
    listed = [(name, str(each.label), str(each.explanation)) for name, each in known.items()]
    return Coverage(
        boxes,
        systems,
        [
            Row(
                name,
                label,
                explanation,
                [Cell(usable[name, box], texts[name, box]) for box in boxes],
                [clips[name, system] for system in systems],
            )
            for name, label, explanation in [*listed, *((name, name, "") for name in sorted(others))]
        ],
    )
