"""Telling human from machine, in the report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.detection.result import Detection
from analysis.sections.tables import Column, Table


def table(detection: Detection) -> Table:
    titles = ("d′", _("d′ low"), _("d′ high"), _("Criterion"), "AUC", _("AUC low"), _("AUC high"))
    signals = (detection.overall, *detection.systems)
    rows = tuple(
        (
            signal.name or _("All systems"), signal.d_prime, signal.d_prime_low, signal.d_prime_high, signal.criterion,
            signal.auc, signal.auc_low, signal.auc_high, signal.human, signal.synthetic,
        )
        for signal in signals
    )  # fmt: skip
    # Analyses of earlier releases have no notes.
    words = _("{name}: {note}")
    notes = sorted(
        {words.format(name=signal.name or _("All systems"), note=signal.note) for signal in signals if signal.note}
    )
    columns = (
        Column(_("Against")),
        *(Column(title, 2) for title in titles),
        Column(_("Human")),
        Column(_("Synthetic")),
    )
    return Table("detection", _("Telling human from synthetic speech"), columns, rows, tuple(notes))
