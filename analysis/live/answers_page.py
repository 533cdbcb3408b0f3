"""What was answered beside the score, how long it took, and what raters wrote."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from analysis.live.result import Figures, Note
from analysis.plots.charts import percent, tenths, whole
from analysis.sections import breakdowns as breakdowns_section
from analysis.sections import leads
from analysis.sections.blocks import BY, display_name
from analysis.sections.inputs import Took

# Shown whatever the scores are grouped by, where they are given.
ALWAYS = ("system", "domain")


@dataclass(frozen=True, slots=True)
class Share:
    """A percentage with its bar, and the counts behind it."""

    shown: str
    width: str
    detail: str


@dataclass(frozen=True, slots=True)
class Group:
    """A column: a system or domain, and of how many answers or rows its percentages are."""

    name: str
    of: str


@dataclass(frozen=True, slots=True)
class CodeShares:
    """Codes down, groups across."""

    by: Promise
    groups: list[Group]
    lines: list[tuple[str, bool, list[Share]]]


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds a clip of one system took: response and decision, median beside mean."""

    name: str
    clips: str
    cells: list[str]


@dataclass(frozen=True, slots=True)
class NoteList:
    """The first notes, by system; `more` where there are others."""

    total: str
    shown: str
    more: bool
    systems: list[tuple[str, list[Note]]]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """One breakdown by each of its groupings."""

    key: str
    title: str
    is_of_answers: bool
    lead: list[str]
    tables: list[CodeShares]


def breakdowns(figures: Figures, by: str) -> list[Breakdown]:
    """Return the breakdowns by system, by domain, and by what the scores are grouped by; none without an answer."""
    shown = []
    for number, item in enumerate(figures.breakdowns):
        wanted = dict.fromkeys([*ALWAYS, by])
        tables = [_table(key, item) for key in wanted if item.groups.get(key)]
        if tables:
            shown.append(
                Breakdown(f"breakdown-{number}", item.title, not item.per, leads.breakdown(item, "system"), tables)
            )
    return shown


def _table(by: str, item: breakdowns_section.Breakdown) -> CodeShares:
    groups = item.groups[by]
    return CodeShares(
        by=BY[by],
        groups=[
            Group(
                _("all systems") if by == "overall" and not group.kind else display_name(group.name, group.kind),
                whole(group.of),
            )
            for group in groups
        ],
        lines=[
            (line.label, bool(line.of), [_share(group.counts[number], group.of) for group in groups])
            for number, line in enumerate(item.lines)
        ],
    )


def _share(count: int, of: int) -> Share:
    detail = _("{n} of {all}").format(n=whole(count), all=whole(of))
    return Share(percent(count / of, 1), f"{100 * count / of:.2f}%", detail) if of else Share("–", "0%", detail)


def times(figures: Figures) -> list[Time]:
    """Return the seconds a clip took, median beside mean, by system and then for all together."""
    return [
        Time(
            name=display_name(row.name, row.kind) if row.name else _("all clips"),
            clips=whole(row.clips),
            cells=[*_seconds(row.response), *_seconds(row.decision)],
        )
        for row in figures.times
    ]


def times_lead(figures: Figures) -> str:
    """Return the median time over all clips; nothing where it is not known."""
    took = next((row.response for row in figures.times if not row.name), None)
    if took is None:
        return ""
    words = _("The median time per clip is {seconds} seconds, from the trial’s start to the answer.")
    return words.format(seconds=tenths(took.median))


def _seconds(took: Took | None) -> tuple[str, str]:
    return ("–", "–") if took is None else (tenths(took.median), tenths(took.mean))


def notes(figures: Figures) -> NoteList | None:
    """Return what raters wrote, system by system; the download has what is too much for a page."""
    total, listed = figures.notes.total, figures.notes.listed
    if not total:
        return None
    systems: dict[str, list[Note]] = {}
    for note in listed:
        systems.setdefault(note.system, []).append(note)
    return NoteList(whole(total), whole(len(listed)), total > len(listed), list(systems.items()))
