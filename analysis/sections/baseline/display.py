"""Systems against human speech, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.sections import leads
from analysis.sections.blocks import Block, TextTable, axis, change, changes, fixed
from analysis.sections.detection.display import table
from analysis.sections.parts import Part, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table
from core.text.numbers import whole

VERDICTS: dict[str, Promise] = {
    "non_inferior": gettext_lazy("not inferior"),
    "inferior": gettext_lazy("inferior"),
    "undecided": gettext_lazy("undecided"),
}


def block(results: Results) -> Block:
    """Return the block of the human baseline, and each system's difference with its verdict."""
    section = results.baseline
    title = _("Against human speech")
    if isinstance(section, Refusal):
        return Block("baseline", title, section.refused)
    of, human = axis(results), section.human
    source = _("human test clips") if section.source == "test" else _("human traps")
    lines = [
        _("Human baseline, from {source}: {mean} ({interval}), {n} ratings.").format(
            source=source,
            mean=of.show(human.mean, 1),
            interval=of.interval(human.low, human.high, 1),
            n=whole(human.ratings),
        )
    ]
    if section.margin is not None:
        margin = fixed(of.factor * section.margin, of.digits)
        lines.append(_("Margin fixed before the launch: {margin}.").format(margin=margin))
    if section.note:
        lines.append(section.note)
    verdicts = {
        "non_inferior": _("not inferior"),
        "inferior": _("inferior"),
        "undecided": _("undecided"),
        "": "–",
    }
    rows = [
        [row.name, change(of, row.difference), changes(of, row.low, row.high), verdicts[row.verdict]]
        for row in section.systems
    ]
    columns = [_("System"), _("Less human speech"), _("95 % interval"), _("At the margin")]
    tables = [TextTable(_("Systems less human speech"), columns, rows)] if rows else []
    return Block("baseline", title, lines=lines, tables=tables, lead=leads.against_human(of, section.systems))


def part(results: Results) -> Part:
    """Return the report's section on systems and human speech."""
    baseline, signal = results.baseline, results.detection
    scale = scale_of(results)
    digits = scale.digits + 1
    tables, sentences = [], []
    if not isinstance(baseline, Refusal):
        human = baseline.human
        mean = f"{scale.show(human.mean)} {scale.interval(human.low, human.high)}".rstrip()
        source = (
            _("Human speech scored {mean}, from test clips.")
            if baseline.source == "test"
            else _("Human speech scored {mean}, from traps of every full batch, valid or not.")
        )
        sentences = [source.format(mean=mean), *([baseline.note] if baseline.note else [])]
        margin = baseline.margin
        if margin is not None:
            words = _("The margin of non-inferiority, fixed before the launch, is {margin}.")
            sentences.append(words.format(margin=scale.show(margin)))
        rows = [
            (
                row.name,
                *scaled([row.difference, row.low, row.high], scale),
                str(VERDICTS[row.verdict]) if row.verdict else None,
            )
            for row in baseline.systems
        ]
        columns = (
            Column(_("System")), Column(_("Less human"), digits), Column(_("Low"), digits), Column(_("High"), digits),
            Column(_("Verdict")),
        )  # fmt: skip
        tables += [Table("against_human", _("Systems against human speech"), columns, tuple(rows))] if rows else []
    else:
        sentences.append(baseline.refused)
    if not isinstance(signal, Refusal):
        tables.append(table(signal))
    else:
        sentences.append(signal.refused)
    return Part("human", _("Against human speech"), tuple(sentences), tuple(tables))
