"""White box minus black box, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import distance
from analysis.sections.parts import Part, in_points, interval_note, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.scores import Group
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table, titled

BOXES = ("white", "black")


def parts(results: Results) -> list[Part]:
    """Return the section on white box minus black box; none for a study without boxes."""
    section, scores, title = results.boxes, results.scores, _("White box and black box")
    if isinstance(section, Refusal):
        has_boxes = not isinstance(scores, Refusal) and bool(scores.by.get("box"))
        return [Part("boxes", title, refused=section.refused)] if has_boxes else []
    scale = scale_of(results)
    gaps = (*section.systems, section.overall)
    cells = {(row.name, box): _in_box(results, row.name, box) for row in gaps for box in BOXES}
    rows = tuple(
        (
            row.name or _("All"),
            *scaled(
                [row.white, *_ends(cells[row.name, "white"]), row.black, *_ends(cells[row.name, "black"]),
                 row.gap, row.low, row.high],
                scale,
            ),
        )
        for row in gaps
    )  # fmt: skip
    less = _("White less black")
    heads = (
        _("White"), _("White, low"), _("White, high"), _("Black"), _("Black, low"), _("Black, high"),
        less, _("Low"), _("High"),
    )  # fmt: skip
    names = {"white": _("White"), "black": _("Black")}
    reasons = [(names[box], cell.note) for (_name, box), cell in cells.items() if cell is not None]
    reasons += [(less, row.note) for row in gaps]
    whys = [_("{name}: {note}").format(name=name, note=note) for name, note in dict.fromkeys(reasons) if note]
    columns = (Column(_("System")), *titled(*heads, digits=scale.digits + 1))
    ranks = section.ranks
    sentences = () if ranks is None else (_("Order of the systems: {distance}").format(distance=distance(ranks)),)
    table = Table(
        "boxes",
        _("{score} by box and system").format(score=scale.name),
        columns,
        rows,
        (interval_note(), *in_points(scale), *whys),
    )
    return [Part("boxes", title, sentences, (table,))]


def _in_box(results: Results, system: str, box: str) -> Group | None:
    return None if isinstance(results.scores, Refusal) else results.scores.in_box(system, box)


def _ends(cell: Group | None) -> tuple[float | None, float | None]:
    return (None, None) if cell is None else (cell.low, cell.high)
