"""breakdowns.csv: how often each code was given, one row per code and group."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import Column, Row
from analysis.exports.source import Source
from analysis.sections.breakdowns import compute as breakdowns_compute
from studies.clips import tables as clips_tables

COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("breakdown", "id", "Title of the breakdown, as on the study's page."),
    Column("part", "code", "Part of the answer whose codes are counted."),
    Column("grouped_by", "code", "What the groups are.", levels="|".join(breakdowns_compute.BY)),
    Column("group", "text", "Name of the group; empty for all systems together."),
    Column(
        "group_kind", "code", "Whether the group is human speech or an anchor; empty: systems.", levels="human|anchor"
    ),
    Column("code", "code", "What was answered, in the task's own words; for merged rows the name of the line."),
    Column("label", "id", "The same as pages show it."),
    Column("merged", "code", "Codes that a merged row counts as one, joined by |."),
    Column("count", "number", "How many usable answers hold it; with a value in per, how many rows."),
    Column("of", "number", "All usable answers of the group, whatever they hold; with a value in per, all such rows."),
    Column("per", "code", "Part whose rows the percentage is of; empty: answers."),
    Column("percent", "number", "100 × count / of.", "%"),
)


def rows(source: Source) -> Iterator[Row]:
    """Yield the rows by breakdown, grouping and group."""
    study = source.study
    kinds = source.definition.kind.breakdowns
    for table in breakdowns_compute.tables(study.pk, kinds, source.simulated.flag, clips_tables.groups(study.pk)):
        for by, groups in table.groups.items():
            for group in groups:
                for line, count in zip(table.lines, group.counts, strict=True):
                    yield {
                        "study": study.slug,
                        "breakdown": table.title,
                        "part": table.part,
                        "grouped_by": by,
                        "group": group.name,
                        "group_kind": group.kind,
                        "code": line.code,
                        "label": line.label,
                        "merged": "|".join(line.of),
                        "count": count,
                        "of": group.of,
                        "per": table.per,
                        "percent": 100 * count / group.of if group.of else None,
                    }
