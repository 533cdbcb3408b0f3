"""Distinguishing human from machine: a table on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.detection import Detection
from analysis.sections.parts import interval_note
from analysis.sections.tables import Column, Table, titled
from core.text.numbers import whole


def table(detection: Detection, pieces: str) -> Table:
    """Return d′, bias and AUC; `pieces` is what intervals account for next to raters."""
    signals = (detection.overall, *detection.systems)
    rows = tuple(
        (
            signal.name or _("All systems"), signal.d_prime, signal.d_prime_low, signal.d_prime_high, signal.criterion,
            signal.auc, signal.auc_low, signal.auc_high, signal.human, signal.synthetic, signal.beta,
        )
        for signal in signals
    )  # fmt: skip
    columns = (
        Column(_("Against")),
        *titled("d′", _("d′ low"), _("d′ high"), _("Criterion"), digits=2),
        *titled("AUC", _("AUC low"), _("AUC high"), digits=3),
        *titled(_("Human"), _("Synthetic")),
        Column("β", 2),
    )
    return Table("detection", _("Telling human from synthetic speech"), columns, rows, _notes(detection, pieces))


def _notes(detection: Detection, pieces: str) -> tuple[str, ...]:
    source = _("human test clips") if detection.human_from == "test" else _("human traps of every full batch")
    known = [value for value in detection.raters if value is not None]
    # Analyses of earlier releases have no notes.
    named = {
        _("{name}: {note}").format(name=signal.name or _("All systems"), note=signal.note)
        for signal in (detection.overall, *detection.systems)
        if signal.note
    }
    return (
        interval_note(),
        _("Human against the rest of the answers; human speech from {source}.").format(source=source),
        _("{n} of {all} raters gave the 20 answers of each kind that a d′ of their own needs.").format(
            n=whole(len(known)), all=whole(len(detection.raters))
        ),
        *_drawn(pieces),
        *sorted(named),
    )


def _drawn(pieces: str) -> list[str]:
    """Return a sentence on what intervals account for; if only raters, each row's note says so."""
    if pieces == "text":
        return [_("Intervals account for raters and for texts.")]
    return [_("Intervals account for raters and for clips.")] if pieces != "raters" else []
