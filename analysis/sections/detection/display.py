"""Distinguishing human from machine, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.sections.blocks import Block, TextTable, fixed, span
from analysis.sections.detection import Detection
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table
from core.text.numbers import whole


def block(results: Results) -> Block:
    """Return the block of d′, bias and AUC."""
    section, title = results.detection, _("Telling human from machine")
    if isinstance(section, Refusal):
        return Block("detection", title, section.refused)
    parts = [section.overall, *section.systems]
    head = [_("System"), "d′", _("95 % interval"), _("Criterion"), "β", "AUC", _("95 % interval"), _("Answers")]
    rows = [
        [
            row.name or _("all"),
            fixed(row.d_prime),
            span(row.d_prime_low, row.d_prime_high),
            fixed(row.criterion),
            fixed(row.beta),
            fixed(row.auc),
            span(row.auc_low, row.auc_high),
            f"{whole(row.human)} + {whole(row.synthetic)}",
        ]
        for row in parts
    ]
    # Analyses of earlier releases have no notes.
    notes = {_("{name}: {note}").format(name=row.name or _("all"), note=row.note) for row in parts if row.note}
    source = _("human test clips") if section.human_from == "test" else _("human traps of every full batch")
    known = [value for value in section.raters if value is not None]
    lines = [
        _("Human against the rest of the answers; human speech from {source}.").format(source=source),
        _("{n} of {all} raters gave the 20 answers of each kind that a d′ of their own needs.").format(
            n=whole(len(known)), all=whole(len(section.raters))
        ),
        *_drawn("" if isinstance(results.design, Refusal) else results.design.pieces),
        *sorted(notes),
    ]
    return Block("detection", title, lines=lines, tables=[TextTable(_("Sensitivity and bias"), head, rows)])


def _drawn(pieces: str) -> list[str]:
    """Return a sentence on what intervals account for; if only raters, each row's note says so."""
    if pieces == "text":
        return [_("Intervals account for raters and for texts.")]
    return [_("Intervals account for raters and for clips.")] if pieces != "raters" else []


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
