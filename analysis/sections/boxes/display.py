"""White box minus black box, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import distance
from analysis.sections.parts import Part, in_points, interval_note, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table, titled


def parts(results: Results) -> list[Part]:
    """Return the section on white box minus black box; none for a study without boxes."""
    section, scores, title = results.boxes, results.scores, _("White box and black box")
    if isinstance(section, Refusal):
        has_boxes = not isinstance(scores, Refusal) and bool(scores.by.get("box"))
        return [Part("boxes", title, refused=section.refused)] if has_boxes else []
    scale = scale_of(results)
    rows = tuple(
        (row.name or _("All"), *scaled([row.white, row.black, row.gap, row.low, row.high], scale))
        for row in (*section.systems, section.overall)
    )
    heads = (_("White"), _("Black"), _("White less black"), _("Low"), _("High"))
    columns = (Column(_("System")), *titled(*heads, digits=scale.digits + 1))
    ranks = section.ranks
    sentences = () if ranks is None else (_("Order of the systems: {distance}").format(distance=distance(ranks)),)
    table = Table(
        "boxes",
        _("{score} by box and system").format(score=scale.name),
        columns,
        rows,
        (interval_note(), *in_points(scale)),
    )
    return [Part("boxes", title, sentences, (table,))]
