"""Agreement of raters: a table and sentences on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.sections.agreement import Agreement
from analysis.sections.blocks import distance, metric_name
from analysis.sections.parts import interval_note, row_name
from analysis.sections.tables import Column, Table, titled
from core.text.numbers import decimals, whole


def table(agreement: Agreement) -> Table:
    """Return Krippendorff's alpha of all and of each system."""
    rows = tuple((row_name(row), row.alpha, row.low, row.high, row.units, row.ratings) for row in agreement.alpha)
    columns = (
        Column(_("System")),
        *titled("α", _("Low"), _("High"), digits=3),
        *titled(_("Units"), _("Ratings")),
    )
    metric = agreement.alpha[0].metric if agreement.alpha else ""
    title = _("Krippendorff’s alpha ({metric})").format(metric=metric_name(metric))
    notes = (
        interval_note(),
        _("A unit is a clip with two ratings or more, or each question on such a clip; traps are left out."),
        *agreement.notes,
    )
    return Table("alpha", title, columns, rows, notes)


def sentences(agreement: Agreement) -> list[str]:
    """Return the kappas, and the order of the systems in two halves of the raters."""
    lines = []
    if agreement.fleiss is not None:
        lines.append(_("Fleiss’ κ: {value}.").format(value=decimals(agreement.fleiss)))
    if agreement.cohen is not None:
        words = ngettext(
            "Cohen’s κ of {n} pair of raters: {value}.",
            "Cohen’s κ, mean of {n} pairs of raters: {value}.",
            agreement.cohen_pairs,
        )
        lines.append(words.format(n=whole(agreement.cohen_pairs), value=decimals(agreement.cohen)))
    if agreement.halves is not None:
        words = _("Order of the systems in two halves of the raters: {distance}")
        lines.append(words.format(distance=distance(agreement.halves)))
    return lines
