"""spot_checks.csv: one row per expert decision before launch."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import Column, Row
from analysis.exports.source import Source
from studies.spot_checks import overview

COLUMNS = (
    Column("study", "text", "Short name of the study."),
    Column("item", "id", "What was checked; the same for all decisions on it."),
    Column("kind", "code", "What was asked of it.", levels="success|consistency"),
    Column("system", "text", "Speech synthesiser."),
    Column("voice", "text", "Voice of the system."),
    Column("text_id", "text", "Name of the text that is spoken."),
    Column("clips", "text", "Files of the clips, separated by a vertical bar."),
    Column("takes", "text", "Their takes, separated by a vertical bar."),
    Column("sha256", "id", "Hashes of the files as they were uploaded, separated by a vertical bar."),
    Column("replacement", "boolean", "In the place of a clip that failed, and not drawn at random."),
    Column("expert", "id", "Pseudonym of the expert, within this study."),
    Column(
        "decision",
        "code",
        "What the expert said.",
        levels="ok|quality_defect|incomplete|wrong_language|mixed_voice|unintelligible|wrong_words|other"
        "|yes|no|cannot_tell",
    ),
    Column("note", "text", "The expert's note."),
    Column("adjudicates", "boolean", "Whether it settled what others disagreed about."),
    Column("decided_at", "time", "When.", "UTC"),
    Column("revoked_at", "time", "When it was taken back; empty where it stands.", "UTC"),
    Column("state", "code", "Where the item stands.", levels="open|disputed|done"),
    Column("outcome", "code", "What was decided for good; empty before.", levels="passed|failed|cannot_tell"),
)


def rows(source: Source) -> Iterator[Row]:
    """Yield one row per decision in order, including revoked ones."""
    for row in overview.table(source.study.pk):
        abouts = row["clips"]
        yield {
            **row,
            "study": source.study.slug,
            "item": source.names.spot_item(row["item_id"]),
            "voice": abouts[0]["voice"],
            "text_id": abouts[0]["text"],
            "clips": "|".join(about["file"] for about in abouts),
            "takes": "|".join(about["take"] for about in abouts),
            "sha256": "|".join(about["sha256"] for about in abouts),
            "replacement": row["is_replacement"],
            "expert": source.names.expert(row["expert_id"]),
            "decision": row["code"],
            "decided_at": row["at"],
        }
