"""How often each code of a part was given, by group: markers, kinds of errors, labels (rules C3 and C5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from analysis.data.groups import LABELS, Label, counts_in, is_named
from analysis.sections.breakdowns import Breakdown, Breakdowns, GroupCounts, Line
from analysis.sections.inputs import AnalysisInput
from analysis.stats.design import NotEstimable
from core.text.words import say
from raters.rating import breakdowns as counts
from raters.rating.monitor import Versions
from studies.clips.tables import Groups
from studies.task_types.base import CodeBreakdown

BY = ("system", "domain", "benchmark", "condition", "dimension", "box", "overall")


def compute(inputs: AnalysisInput) -> Breakdowns:
    """Return how often each marker, error or label was given, by group (rules C3 and C5)."""
    # Where systems met several others, an answer names one of two systems: the section on preferences counts it.
    if not inputs.kind.breakdowns or inputs.sides is not None:
        raise NotEstimable(say("This task asks for nothing beside its score."))
    breakdowns = Breakdowns(tables=inputs.facts.breakdowns)
    if not any(column.of for table in breakdowns.tables for columns in table.groups.values() for column in columns):
        raise NotEstimable(say("No rating counts yet."))
    return breakdowns


def tables(
    study_id: int,
    breakdowns: Sequence[CodeBreakdown],
    simulated: bool | None,
    groups: Mapping[int, Groups],
    versions: Versions = None,
) -> list[Breakdown]:
    """Return each breakdown: its lines (codes and merged codes), and the counts of every group by grouping.

    One SELECT for the totals, one for the codes, and one for each merged line.
    """
    of = {
        part: counts.rows(study_id, simulated, part, versions)
        if part
        else counts.answers(study_id, simulated, versions)
        for part in {breakdown.per for breakdown in breakdowns}
    }
    return [
        table(breakdown, of[breakdown.per], *_tallies(study_id, breakdown, simulated, versions), groups)
        for breakdown in breakdowns
    ]


def _tallies(
    study_id: int, breakdown: CodeBreakdown, simulated: bool | None, versions: Versions
) -> tuple[dict[str, dict[int, int]], dict[str, dict[int, int]]]:
    """Return {code: {clip: count}}, and {merged line: {clip: count}}."""
    by_row = bool(breakdown.per)
    by_code: dict[str, dict[int, int]] = {}
    for clip, code, number in counts.code_counts(study_id, simulated, breakdown.part, by_row=by_row, versions=versions):
        by_code.setdefault(code, {})[clip] = number
    merged = {
        line: counts.any_code_counts(study_id, simulated, breakdown.part, several, by_row=by_row, versions=versions)
        for line, several in breakdown.merged.items()
    }
    return by_code, merged


def table(
    breakdown: CodeBreakdown,
    of: Mapping[int, int],
    given: Mapping[str, Mapping[int, int]],
    merged: Mapping[str, Mapping[int, int]],
    groups: Mapping[int, Groups],
) -> Breakdown:
    """Build a breakdown from the counts {code: {clip: count}} and {merged line: {clip: count}}."""
    by_code = {**{code: {} for code in breakdown.labels}, **given}
    lines = [Line(code=code, label=breakdown.labels.get(code, code), of=()) for code in by_code]
    lines += [
        Line(code=line, label=breakdown.labels.get(line, line.capitalize()), of=tuple(breakdown.merged[line]))
        for line in merged
    ]
    tallies: list[Mapping[int, int]] = [*by_code.values(), *merged.values()]
    return Breakdown(
        title=breakdown.title,
        part=breakdown.part,
        per=breakdown.per,
        lines=tuple(lines),
        groups={by: columns for by in BY if (columns := _grouped(by, of, tallies, groups)) is not None},
    )


def _grouped(
    by: str, of: Mapping[int, int], tallies: Sequence[Mapping[int, int]], groups: Mapping[int, Groups]
) -> tuple[GroupCounts, ...] | None:
    """Return the counts of each group; None if no group has a name."""
    labels = {clip: LABELS[by](groups[clip]) for clip in of if counts_in(by, groups[clip])}
    if by not in {"system", "overall"} and not is_named(list(labels.values())):
        return None
    totals = _summed(of, labels)
    each = [_summed(numbers, labels) for numbers in tallies]
    return tuple(
        GroupCounts(name=label[0], kind=label[1], of=total, counts=tuple(numbers[label] for numbers in each))
        for label, total in sorted(totals.items())
    )


def _summed(numbers: Mapping[int, int], labels: Mapping[int, Label]) -> Counter[Label]:
    sums: Counter[Label] = Counter()
    for clip, number in numbers.items():
        if clip in labels:
            sums[labels[clip]] += number
    return sums
