"""Plots of scores: by system, by system and dimension, and as in the ATT paper's Figure 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.plots import canvas, dots, grid
from analysis.plots.canvas import Plot
from analysis.plots.dots import Band, DotMark, DotRow, Series, label
from analysis.plots.words import Scale
from analysis.sections.blocks import TRAINED
from analysis.sections.boxes import Gap
from analysis.sections.parts import enumerated, listed, scale_of
from analysis.sections.results import Results
from analysis.sections.scores import Crossed, Group
from analysis.sections.shared import Named, Refusal
from core.text.numbers import whole

BOXES = ("white", "black")
KINDS = ("", "human", "anchor")


class Score(Named, Protocol):
    """A system's mean with its interval, if it has one."""

    @property
    def mean(self) -> float: ...

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


CROSSED: dict[str, tuple[Promise, Promise]] = {
    "dimension": (
        gettext_lazy("{score} by system and dimension"),
        gettext_lazy("{score} by system and dimension. {values}."),
    ),
    "benchmark": (
        gettext_lazy("{score} by system and benchmark"),
        gettext_lazy("{score} by system and benchmark. {values}."),
    ),
}


def systems(results: Results) -> Plot | None:
    """Draw each system's score with the default interval, and human speech as a reference if known."""
    groups = _systems(results)
    if not groups:
        return None
    scale = scale_of(results)
    band = _band(results, scale)
    title = _("{score} by system").format(score=scale.name)
    return drawn(groups, scale, name="scores", title=title, band=band, line=_line(results, band, scale))


def drawn(
    groups: Sequence[Score],
    scale: Scale,
    *,
    name: str,
    title: str,
    band: Band | None = None,
    line: Sequence[str] = (),
) -> Plot:
    """Draw a row for each system; `line` describes the band."""
    rows = [_row(group, scale, KINDS.index(group.kind)) for group in groups]
    looks = dots.looks_of_kinds()
    with canvas.sheet(dots.height(rows, [], per=0.2) + (0.2 if band else 0.0)) as figure:
        dots.draw(
            figure, rows, looks, axis=_axis(scale), ends=_ends(scale), band=band, zero=0.0 if scale.low < 0 else None,
            is_named=False,
        )  # fmt: skip
        values = enumerated([f"{_name(group)} {_value(group, scale)}" for group in groups])
        alt = _("{score} with 95 % intervals by system. {values}.").format(score=scale.title, values=values)
        return canvas.finish(figure, name=name, title=title, alt=" ".join([alt, *line]))


def dimensions(results: Results) -> Plot | None:
    """Draw systems by dimension as a shaded grid."""
    return crossed(results, "dimension")


def benchmarks(results: Results) -> Plot | None:
    """Draw systems by benchmark as a shaded grid."""
    return crossed(results, "benchmark")


def crossed(results: Results, by: str) -> Plot | None:
    """Draw systems as rows and the groups of `by` as columns; the numbers are means, without intervals."""
    table = _table(results, by)
    if not table or not table.rows or not table.columns:
        return None
    scale = scale_of(results)
    rows = [row for row in table.rows if row.kind != "anchor"]
    names = [label(row.name, row.kind) for row in rows]
    heads = grid.heads(table.columns, canvas.COLUMN - 0.95)
    cells = [[None if cell is None else scale.factor * cell.mean for cell in row.cells] for row in rows]
    known = [cell for line in cells for cell in line if cell is not None]
    starred = {
        (down, across)
        for down, row in enumerate(rows)
        for across, cell in enumerate(row.cells)
        if cell and cell.is_seen
    }
    legend = [str(TRAINED)] if starred else []
    none = _("no answers")
    phrases = [
        _("{name}: {values}").format(
            name=_name(row),
            values=listed(
                [
                    f"{column} {none if cell is None else _cell_words(cell, scale)}"
                    for column, cell in zip(table.columns, row.cells, strict=True)
                ]
            ),
        )
        for row in rows
    ]
    sizes = [[None if cell is None else cell.ratings for cell in row.cells] for row in rows]
    legend.append(_("n: ratings"))
    with canvas.sheet(grid.height(len(rows), heads, has_sizes=True) + 0.12 * len(legend)) as figure:
        grid.draw(
            figure, names, heads, cells, ends=(min(known), max(known)), corner="\n".join([_axis(scale), *legend]),
            show=lambda cell: dots.shown(cell, scale.digits), starred=starred, sizes=sizes,
        )  # fmt: skip
        title, words = CROSSED[by]
        alt = " ".join([str(words).format(score=scale.title, values=enumerated(phrases)), *legend[:-1]])
        return canvas.finish(figure, name=f"{by}s", title=str(title).format(score=scale.name), alt=alt)


def _cell_words(cell: Group, scale: Scale) -> str:
    values = {"score": scale.show(cell.mean) + "*" * cell.is_seen, "n": whole(cell.ratings)}
    return _("{score} (n {n})").format(**values)


def figure_2a(results: Results) -> Plot | None:
    """Draw each system's score overall, and in the white and the black box (ATT, Figure 2a)."""
    boxes = results.boxes
    groups = _systems(results)
    if isinstance(boxes, Refusal) or not groups:
        return None
    scale = scale_of(results)
    gaps = {gap.name: gap for gap in boxes.systems}
    known = [group for group in groups if group.name in gaps and not group.kind]
    rows = [
        DotRow(
            label(group.name),
            (
                _mark(group, scale, 0),
                *(_in_box(results, gaps[group.name], box, scale, look) for look, box in enumerate(BOXES, start=1)),
            ),
        )
        for group in known
    ]
    looks = [
        Series(_("Overall"), canvas.COLOURS[""], "o"),
        Series(_("White box"), canvas.INK, "s", is_hollow=True),
        Series(_("Black box"), canvas.INK, "s"),
    ]
    if not rows:
        return None
    with canvas.sheet(dots.height(rows, looks, per=0.27)) as figure:
        dots.draw(figure, rows, looks, axis=_axis(scale))
        words = _("{name} {score}, white {white}, black {black}")
        phrases = [
            words.format(
                name=group.name,
                score=scale.show(group.mean),
                **{box: _value_in_box(results, gaps[group.name], box, scale) for box in BOXES},
            )
            for group in known
        ]
        alt = _("{score} by box, with 95 % intervals. {values}.").format(score=scale.title, values=enumerated(phrases))
        title = _("{score}, white and black box").format(score=scale.name)
        return canvas.finish(figure, name="figure2a", title=title, alt=alt)


def _in_box(results: Results, gap: Gap, box: str, scale: Scale, look: int) -> DotMark:
    """Return the mark of a system in a box, with its interval if it has one."""
    cell = None if isinstance(results.scores, Refusal) else results.scores.in_box(gap.name, box)
    return DotMark(scale.factor * getattr(gap, box), look=look) if cell is None else _mark(cell, scale, look)


def _value_in_box(results: Results, gap: Gap, box: str, scale: Scale) -> str:
    cell = None if isinstance(results.scores, Refusal) else results.scores.in_box(gap.name, box)
    return scale.show(getattr(gap, box)) if cell is None else _value(cell, scale)


def figure_2b(results: Results) -> Plot | None:
    """Draw a row per dimension with all systems on it (ATT, Figure 2b).

    With too many systems to distinguish, draws a row per system with the dimensions on it.
    """
    table = _table(results, "dimension")
    if not table or not table.columns:
        return None
    lines = [row for row in table.rows if row.kind != "anchor"]
    columns = table.columns
    is_turned = len(lines) > dots.MOST_SERIES
    if len(lines) < 2 or (is_turned and len(columns) > dots.MOST_SERIES):
        return None
    scale = scale_of(results)
    cells = [list(column) for column in zip(*(row.cells for row in lines), strict=True)]
    if is_turned:
        looks = dots.looks_of([(column, "") for column in columns])
        rows = [DotRow(label(row.name, row.kind), _marks(row.cells, scale)) for row in lines]
    else:
        looks = dots.looks_of([(row.name, row.kind) for row in lines])
        rows = [DotRow(label(column), _marks(line, scale)) for column, line in zip(columns, cells, strict=True)]
    high = dots.height(rows, looks, per=0.3, each=0.062 if is_turned else dots.MARK) + 0.1 * (len(looks) // 3)
    with canvas.sheet(high) as figure:
        dots.draw(figure, rows, looks, axis=_axis(scale), is_ruled=is_turned)
        none = _("no answers")
        phrases = [
            _("{name}: {values}").format(
                name=column,
                values=listed(
                    [
                        f"{_name(row)} {none if cell is None else _value(cell, scale)}"
                        for row, cell in zip(lines, line, strict=True)
                    ]
                ),
            )
            for column, line in zip(columns, cells, strict=True)
        ]
        title = _("{score} by dimension and system").format(score=scale.name)
        alt = _("{score} with 95 % intervals. {values}.").format(score=scale.title, values=enumerated(phrases))
        return canvas.finish(figure, name="figure2b", title=title, alt=alt)


def _systems(results: Results) -> Sequence[Group]:
    return () if isinstance(results.scores, Refusal) else results.scores.by.get("system", ())


def _table(results: Results, by: str) -> Crossed | None:
    return None if isinstance(results.scores, Refusal) else results.scores.crossed.get(by)


def _marks(cells: Sequence[Group | None], scale: Scale) -> tuple[DotMark, ...]:
    return tuple(_mark(cell, scale, number) for number, cell in enumerate(cells) if cell is not None)


def _band(results: Results, scale: Scale) -> Band | None:
    baseline = results.baseline
    if isinstance(baseline, Refusal):
        return None
    human = baseline.human
    low, high = (None if end is None else scale.factor * end for end in (human.low, human.high))
    name = _("Human speech") if baseline.source == "test" else _("Human speech, from traps")
    return Band(scale.factor * human.mean, low, high, name)


def _line(results: Results, band: Band | None, scale: Scale) -> list[str]:
    """Return a sentence that explains the reference line."""
    if band is None or isinstance(results.baseline, Refusal):
        return []
    words = (
        _("The line is human speech: {value}.")
        if results.baseline.source == "test"
        else _("The line is human speech, from traps: {value}.")
    )
    return [words.format(value=dots.shown(band.value, scale.digits))]


def _row(group: Score, scale: Scale, look: int) -> DotRow:
    return DotRow(label(group.name, group.kind), (_mark(group, scale, look),), _value(group, scale))


def _mark(group: Score, scale: Scale, look: int) -> DotMark:
    low, high = (None if end is None else scale.factor * end for end in (group.low, group.high))
    return DotMark(scale.factor * group.mean, low, high, look)


def _value(group: Score, scale: Scale) -> str:
    return f"{scale.show(group.mean)} {scale.interval(group.low, group.high)}".rstrip()


def _name(group: Named) -> str:
    return label(group.name, group.kind, most=80)


def _axis(scale: Scale) -> str:
    return scale.title


def _ends(scale: Scale) -> tuple[float, float]:
    return scale.factor * scale.low, scale.factor * scale.high
