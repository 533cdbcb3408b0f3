"""Reliability of raters, on the page of an analysis and in its report."""

from __future__ import annotations

from django.utils.translation import gettext as _

from analysis.plots.words import Scale, number
from analysis.sections.parts import Part, in_points, listed, row_name, scale_of, scaled
from analysis.sections.reliability import Change, LeftOut, Outstanding, Reliability
from analysis.sections.results import Results
from analysis.sections.shared import ERASED, Refusal
from analysis.sections.tables import Column, Table, titled
from analysis.stats.figures import Icc
from core.text.numbers import decimals, percent, whole

# Slopes are printed per so many places of a session.
PLACES = 10


def part(results: Results) -> Part:
    """Return the section on the reliability of raters."""
    section, title = results.reliability, _("Raters’ reliability")
    if isinstance(section, Refusal):
        return Part("reliability", title, refused=section.refused)
    scale = scale_of(results)
    sentences = (
        *_icc(section.icc),
        *_repeats(section),
        *_changes(section, scale),
        *(_left_out(each) for each in section.left_out),
        *section.notes,
    )
    return Part("reliability", title, sentences, tuple(_tables(section, scale)))


def _icc(icc: Icc | Refusal) -> list[str]:
    if isinstance(icc, Refusal):
        return [_("ICC: {why}").format(why=icc.refused)]
    plain = _(
        "{share} of the variance of clips’ means comes from the clips, the rest from raters and chance: ICC(A,k) is "
        "{mean} for the mean of k = {k} raters, and ICC(A,1) of a single rating is {single}."
    ).format(
        share=percent(icc.mean),
        mean=decimals(icc.mean),
        k=number(icc.k, 0 if icc.is_complete else 1),
        single=decimals(icc.single),
    )
    how = (
        _(
            "Two-way random, absolute agreement, from the variances of {raters} raters and {clips} clips; all raters "
            "rated all clips."
        )
        if icc.is_complete
        else _(
            "Two-way random, absolute agreement, from the variances of {raters} raters and {clips} clips by REML, "
            "since not all raters rated all clips; k is the harmonic mean of the raters of a clip."
        )
    )
    return [plain, how.format(raters=whole(icc.raters), clips=whole(icc.clips))]


def _repeats(section: Reliability) -> list[str]:
    usual = section.repeats
    if usual is None:
        return []
    words = _(
        "Half of the raters repeat their previous answer in {share} of cases or less, and have a longest run of "
        "{longest} equal answers or less."
    )
    return [words.format(share=percent(usual.share), longest=number(usual.longest, 0))]


def _changes(section: Reliability, scale: Scale) -> list[str]:
    sentences = []
    if section.seconds is not None:
        words = _(
            "Answering time changes by {mean} s over {n} places of a session [{low}, {high}]: the mean of {raters} "
            "raters’ slopes, with its interval over raters."
        )
        sentences.append(words.format(**_ends(section.seconds, 1.0, 2)))
    if section.score is not None:
        words = _(
            "The score, less its system’s mean, changes by {mean} over {n} places of a session [{low}, {high}]: the "
            "mean of {raters} raters’ slopes, with its interval over raters."
        )
        sentences += [words.format(**_ends(section.score, scale.factor, scale.digits + 1)), *in_points(scale)]
    checked = section.repeats or section.seconds or section.score
    if checked is not None and not section.outstanding:
        sentences.append(_("No rater stands out from the others."))
    return sentences


def _ends(change: Change, factor: float, digits: int) -> dict[str, str]:
    shown = {name: number(factor * PLACES * getattr(change, name), digits) for name in ("mean", "low", "high")}
    return {**shown, "n": whole(PLACES), "raters": whole(change.raters)}


def _left_out(each: LeftOut) -> str:
    if not each.changed:
        words = (
            _("Leaving out one rater never changes the order of the systems ({tried} raters left out in turn).")
            if each.of == "rater"
            else _("Leaving out one text never changes the order of the systems ({tried} texts left out in turn).")
        )
        return words.format(tried=whole(each.tried))
    words = (
        _("Leaving out one rater changes the order of the systems in {changed} of {tried} cases: {names}.")
        if each.of == "rater"
        else _("Leaving out one text changes the order of the systems in {changed} of {tried} cases: {names}.")
    )
    names = listed([*(_name(name) for name in each.names), *(["…"] if each.changed > len(each.names) else [])])
    return words.format(changed=whole(each.changed), tried=whole(each.tried), names=names)


def _tables(section: Reliability, scale: Scale) -> list[Table]:
    tables = []
    if section.outstanding:
        rows = tuple((_name(row.rater), row.answers, _sign(row), _value(row, scale)) for row in section.outstanding)
        columns = titled(_("Rater"), _("Answers"), _("Why"), _("Value"))
        notes = (
            _(
                "Repeats and runs: above Q3 + 3 (Q3 − Q1) of all raters (Tukey 1977). Slopes: far from the median "
                "slope by t, with Bonferroni’s correction for all raters; the error is the rater’s own and the spread "
                "of all slopes (scaled median absolute deviation) together. From 10 answers on; at most five raters "
                "for each."
            ),
            _("A person decides what this means; nothing is excluded by it."),
        )
        tables.append(Table("outstanding_raters", _("Raters that stand out"), columns, rows, notes))
    if section.courses:
        tables.append(_courses(section, scale))
    if section.corrected:
        means = tuple((row_name(row), *scaled([row.raw, row.corrected], scale)) for row in section.corrected)
        heads = (Column(_("System")), *titled(_("Mean of clips"), _("Corrected mean"), digits=scale.digits + 1))
        note = _(
            "Corrected: each rater’s bias is subtracted, and consistent raters count more (maximum likelihood, "
            "ITU-T P.910). No interval; the mean stays the score."
        )
        tables.append(Table("corrected_means", _("Means corrected for raters’ bias"), heads, means, (note,)))
    return tables


def _courses(section: Reliability, scale: Scale) -> Table:
    factor, digits = scale.factor * PLACES, scale.digits + 1
    rows = tuple(
        (
            _name(row.rater),
            row.answers,
            row.share,
            row.longest,
            None if row.seconds is None else PLACES * row.seconds,
            None if row.score is None else factor * row.score,
        )
        for row in section.courses
    )
    columns = (
        *titled(_("Rater"), _("Answers")),
        Column(_("Share of repeats"), 3),
        Column(_("Longest run")),
        Column(_("Change of answering time (s)"), 2),
        Column(_("Change of score"), digits),
    )
    notes = (
        _(
            "From 10 answers on. Share of repeats: answers equal to the one before in the session. Changes are "
            "least-squares slopes per 10 places of a session; the score is less its system’s mean."
        ),
    )
    return Table("all_raters", _("Raters one by one"), columns, rows, notes, only_files=True)


def _name(name: str) -> str:
    return _("an erased rater") if name == ERASED else name


def _sign(row: Outstanding) -> str:
    return {
        "share": _("repeats the previous answer"),
        "longest": _("long run of equal answers"),
        "seconds": _("answering time changes, per 10 places"),
        "score": _("score changes, per 10 places"),
    }[row.sign]


def _value(row: Outstanding, scale: Scale) -> str:
    if row.sign == "share":
        return percent(row.value)
    if row.sign == "longest":
        return whole(int(row.value))
    if row.sign == "seconds":
        return _("{seconds} s").format(seconds=number(PLACES * row.value, 2))
    return number(scale.factor * PLACES * row.value, scale.digits + 1)
