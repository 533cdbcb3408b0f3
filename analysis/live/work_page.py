"""How the work goes: people, places, quotas and checks."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from analysis.live.result import CoverageCell, Figures, Flow
from analysis.plots.charts import percent, tenths, whole


@dataclass(frozen=True, slots=True)
class HeatCell:
    """Ratings per clip of one system and dimension, and how near that is to what is wanted (0 to 5)."""

    shown: str
    detail: str
    level: int


@dataclass(frozen=True, slots=True)
class FlowStep:
    """A stage of the way that people take, its count, and its share of those who arrived."""

    label: str
    count: str
    width: str
    is_exit: bool = False


@dataclass(frozen=True, slots=True)
class Heat:
    """The coverage as a table: dimensions across, systems down."""

    dimensions: list[str]
    rows: list[tuple[str, list[HeatCell | None]]]
    is_screens: bool
    reopened: str
    all: str


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A share with the counts that it is of."""

    label: str
    share: str
    width: str
    right: str
    total: str


@dataclass(frozen=True, slots=True)
class TaskRule:
    """The task's own rule on raters: its golden questions, where it has any, and last the sessions lost to it."""

    name: str
    bars: list[ShareBar]


@dataclass(frozen=True, slots=True)
class QuotaCell:
    """So many different raters or utterances of those wanted."""

    count: str
    of: str
    value: int
    max: int
    what: str


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """A system and benchmark against what is wanted."""

    name: str
    benchmark: str
    cells: list[QuotaCell]
    is_met: bool


@dataclass(frozen=True, slots=True)
class QuotaTable:
    """The quota of each system and benchmark."""

    columns: list[str]
    rows: list[QuotaRow]
    has_benchmarks: bool
    met: str
    all: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What is shown instead of valid batches in a study without traps."""

    label: str
    number: str
    detail: str


@dataclass(frozen=True, slots=True)
class Tiles:
    """The four numbers at the top."""

    active: str
    arrived: str
    filled: str
    wanted: str
    filled_number: int
    wanted_number: int
    surplus: str
    has_traps: bool
    valid: str
    decided_number: int
    decided: str
    valid_number: str
    guesser: str
    checked: Checked
    minutes: str
    sessions: str


def heat(figures: Figures) -> Heat:
    """Return the coverage as a table: dimensions across, systems down; a screen belongs to all its systems."""
    coverage = figures.coverage
    cells = {(cell.system, cell.dimension): cell for cell in coverage.cells}
    systems, dimensions = sorted({key[0] for key in cells}), sorted({key[1] for key in cells})
    rows = [
        (system or _("all systems together"), [_heat_cell(cells.get((system, dimension))) for dimension in dimensions])
        for system in systems
    ]
    unnamed = _("not given") if any(dimensions) else _("all screens") if systems == [""] else _("all clips")
    return Heat(
        dimensions=[dimension or unnamed for dimension in dimensions],
        rows=rows,
        is_screens=systems == [""],
        reopened=whole(coverage.reopened) if coverage.reopened else "",
        all=whole(coverage.clips),
    )


def _heat_cell(cell: CoverageCell | None) -> HeatCell | None:
    if cell is None:
        return None
    share = cell.filled / cell.wanted
    each, wanted = tenths(cell.usable / cell.clips), tenths(cell.wanted / cell.clips)
    if cell.system:
        text = _("{usable} usable ratings of {clips} clips; {each} a clip, {wanted} wanted")
    else:
        text = _("{usable} usable ratings of {clips} screens; {each} a screen, {wanted} wanted")
    detail = text.format(usable=whole(cell.usable), clips=whole(cell.clips), each=each, wanted=wanted)
    return HeatCell(each, detail, 5 if share == 1 else int(5 * share))


def flow(people: Flow) -> list[FlowStep]:
    """Return how far people came."""
    stages = [
        (_("arrived"), people.arrived, False),
        (_("agreed to take part"), people.consented, False),
        (_("began to rate"), people.started, False),
        (_("rating now or later"), people.rating, False),
        (_("complete"), people.complete, False),
        (_("declined"), people.declined, True),
        (_("withdrew"), people.withdrawn, True),
    ]
    # Of no interest to a study that checks nobody.
    if checked_out := people.screened_out - people.slow_line:
        stages.insert(-1, (_("left out by the first checks"), checked_out, True))
    if people.slow_line:
        stages.insert(-1, (_("left for a slow connection"), people.slow_line, True))
    if people.no_place:
        stages.append((_("found every place taken"), people.no_place, True))
    of = max(people.arrived, 1)
    return [FlowStep(label, whole(count), f"{100 * count / of:.2f}%", leaves) for label, count, leaves in stages]


def traps(figures: Figures) -> list[ShareBar]:
    """Return how well each kind of trap is answered; nothing where a study has none."""
    labels = {"trap_flawed": _("Flawed traps answered rightly"), "trap_human": _("Human traps answered rightly")}
    return [_bar(labels.get(row.role, row.role), row.right, row.asked) for row in figures.traps]


def rule(figures: Figures) -> TaskRule | None:
    """Return the results of the task's own rule on raters; None where it has none."""
    result = figures.rule
    if result is None:
        return None
    names = {"golden": _("the golden questions"), "hidden_reference": _("the hidden reference")}
    name = names.get(result.name, result.name)
    lost = _bar(_("Sessions lost to {rule}").format(rule=name), result.lost, figures.people.started)
    bars = [lost]
    if result.name == "golden":
        bars.insert(0, _bar(_("Golden questions answered rightly"), result.right, result.asked))
    return TaskRule(name, bars)


def _bar(label: str, part: int, of: int) -> ShareBar:
    share = part / of if of else None
    return ShareBar(
        label, "–" if share is None else percent(share), f"{100 * (share or 0):.2f}%", whole(part), whole(of)
    )


def quota(figures: Figures) -> QuotaTable | None:
    """Return the different raters and utterances of each system and benchmark against what is wanted."""
    if not figures.quota:
        return None
    limits = {"raters": figures.quota_wanted.raters, "utterances": figures.quota_wanted.utterances}
    columns = [(name, limit) for name, limit in limits.items() if limit]
    rows = []
    for row in figures.quota:
        counts = {"raters": row.raters, "utterances": row.utterances}
        cells = [
            QuotaCell(whole(counts[name]), whole(limit), min(counts[name], limit), limit, name)
            for name, limit in columns
        ]
        is_met = all(counts[name] >= limit for name, limit in columns)
        rows.append(QuotaRow(row.name, row.benchmark, cells, is_met))
    return QuotaTable(
        columns=[name for name, _limit in columns],
        rows=rows,
        has_benchmarks=any(row.benchmark for row in rows),
        met=whole(sum(row.is_met for row in rows)),
        all=whole(len(rows)),
    )


def tiles(figures: Figures) -> Tiles:
    """Return the four numbers at the top."""
    batches, coverage, minutes = figures.batches, figures.coverage, figures.minutes
    decided = batches.valid + batches.invalid
    return Tiles(
        active=whole(figures.active),
        arrived=whole(figures.people.arrived),
        filled=whole(coverage.filled),
        wanted=whole(coverage.wanted),
        filled_number=coverage.filled,
        wanted_number=coverage.wanted,
        surplus=whole(coverage.usable - coverage.filled) if coverage.usable > coverage.filled else "",
        has_traps=bool(figures.traps),
        valid=percent(batches.valid / decided) if decided else "–",
        decided_number=decided,
        decided=whole(decided),
        valid_number=whole(batches.valid),
        guesser=percent(figures.guesser, 1),
        checked=_checked(figures),
        minutes="–" if minutes.median is None else tenths(minutes.median),
        sessions=whole(minutes.sessions),
    )


def _checked(figures: Figures) -> Checked:
    """Return what is shown instead of valid batches in a study without traps."""
    result = rule(figures)
    if result is None:
        batches = figures.batches
        waiting = _("{n} being checked").format(n=whole(batches.waiting))
        return Checked(_("Full batches"), whole(batches.valid + batches.invalid), waiting)
    main, lost = result.bars[0], result.bars[-1]
    counted = _("{n} of {all}").format(n=main.right, all=main.total)
    if main is lost:
        return Checked(lost.label, lost.right, counted)
    cost = _("sessions lost: {n}").format(n=lost.right)
    return Checked(main.label, main.share, f"{counted}; {cost}")
