"""Systems against human speech, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.plots.words import Scale
from analysis.sections import leads
from analysis.sections.baseline import Baseline
from analysis.sections.detection import display as detection_display
from analysis.sections.parts import Part, in_points, interval_note, scale_of, scaled
from analysis.sections.results import Results
from analysis.sections.shared import Refusal
from analysis.sections.tables import Column, Table, titled
from core.text.numbers import whole

VERDICTS: dict[str, Promise] = {
    "non_inferior": gettext_lazy("not inferior"),
    "inferior": gettext_lazy("inferior"),
    "undecided": gettext_lazy("undecided"),
}


def lead(results: Results) -> list[str]:
    """Return the summary above the section."""
    baseline = results.baseline
    if isinstance(baseline, Refusal):
        return []
    return [*leads.verdicts(baseline.systems), *leads.against_human(baseline.systems, results.study.scale.sign)]


def part(results: Results) -> Part:
    """Return the section on systems and human speech."""
    baseline, signal, title = results.baseline, results.detection, _("Against human speech")
    if isinstance(baseline, Refusal) and isinstance(signal, Refusal):
        return Part("human", title, refused=f"{baseline.refused} {signal.refused}")
    scale, sentences, tables = scale_of(results), [], []
    if isinstance(baseline, Refusal):
        sentences.append(baseline.refused)
    else:
        sentences += _sentences(baseline, scale)
        tables += [_table(baseline, scale)] if baseline.systems else []
    if isinstance(signal, Refusal):
        sentences.append(signal.refused)
    else:
        pieces = "" if isinstance(results.design, Refusal) else results.design.pieces
        tables.append(detection_display.table(signal, pieces))
    return Part("human", title, tuple(sentences), tuple(tables))


def _sentences(baseline: Baseline, scale: Scale) -> list[str]:
    human = baseline.human
    text = (
        _("Human speech scored {mean}, from {n} ratings of test clips.")
        if baseline.source == "test"
        else _("Human speech scored {mean}, from {n} ratings of traps of every full batch, valid or not.")
    )
    mean = f"{scale.show(human.mean, 1)} {scale.interval(human.low, human.high, 1)}".rstrip()
    sentences = [text.format(mean=mean, n=whole(human.ratings)), *([baseline.note] if baseline.note else [])]
    if baseline.margin is not None:
        margin = _("The margin of non-inferiority, fixed before the launch, is {margin}.")
        sentences.append(margin.format(margin=scale.show(baseline.margin)))
        if baseline.margin_reason:
            sentences.append(_("Reason for the margin: {reason}").format(reason=baseline.margin_reason))
    return sentences


def _table(baseline: Baseline, scale: Scale) -> Table:
    rows = tuple(
        (
            row.name,
            *scaled([row.difference, row.low, row.high], scale),
            str(VERDICTS[row.verdict]) if row.verdict else None,
        )
        for row in baseline.systems
    )
    heads = titled(_("Difference from human"), _("Low"), _("High"), digits=scale.digits + 1)
    columns = (Column(_("System")), *heads, Column(_("Verdict")))
    return Table(
        "against_human", _("Systems against human speech"), columns, rows, (interval_note(), *in_points(scale))
    )
