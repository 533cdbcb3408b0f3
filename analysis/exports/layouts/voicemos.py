"""BVCC and the VoiceMOS Challenges: DATA/sets/TRAINSET, DATA/sets/train_mos_list.txt and DATA/mydata_system.csv."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import Column, ExportTable, Row
from analysis.exports.layouts.scored import Scored, names
from analysis.exports.source import Source

# Age, gender and hearing are not asked. The challenge's out-of-domain track writes unknown listeners like this, with EP
# for paid ones.
LISTENER = "{{}}_na_{}_na_na_na_EP"
RATINGS = (
    Column("sysID", "text", "Speech synthesiser, or human."),
    Column("uttID", "id", "Name of the clip's WAV."),
    Column("rating", "number", "The score."),
    Column("ignore", "number", "Unused by the format; the score once more."),
    Column("listenerinfo", "id", "{}_age_LISTENER_gender_-_-_kind: unknown ones are na; EP: a paid listener."),
)
CLIPS = (
    Column("wav", "id", "Name of the clip's WAV."),
    Column("mean", "number", "Mean of the clip's scores."),
)
SYSTEMS = (
    Column("system_ID", "text", "Speech synthesiser, or human."),
    Column("mean", "number", "Mean of all its scores."),
)


def tables(source: Source) -> list[ExportTable]:
    """Return the files; every rating is in the training set, for users to split."""
    scored = Scored(source)

    def ratings() -> Iterator[Row]:
        for row in scored.rows():
            yield {
                "sysID": scored.system(row.clip),
                "uttID": scored.utterances[row.clip],
                "rating": row.score,
                "ignore": row.score,
                "listenerinfo": LISTENER.format(row.rater),
            }

    def clips() -> Iterator[Row]:
        return ({"wav": scored.utterances[clip], "mean": mean} for clip, mean in scored.means())

    def systems() -> Iterator[Row]:
        return ({"system_ID": system, "mean": mean} for system, mean in scored.system_means())

    return [
        ExportTable("TRAINSET", RATINGS, ratings, "DATA/sets/TRAINSET", header=False),
        ExportTable("train_mos_list", CLIPS, clips, "DATA/sets/train_mos_list.txt", header=False),
        ExportTable("mydata_system", SYSTEMS, systems, "DATA/mydata_system.csv"),
        names(scored),
    ]
