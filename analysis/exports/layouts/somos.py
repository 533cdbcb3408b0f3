"""SOMOS: TRAINSET, train_mos_list.txt and train_system.csv, as in its training_files."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.exports.columns import Column, ExportTable, Row
from analysis.exports.layouts.scored import Scored, names
from analysis.exports.source import Source

FOLDER = "training_files/split1/clean"
SYSTEM = Column("systemId", "text", "Speech synthesiser, or human.")
UTTERANCE = Column("utteranceId", "id", "Name of the clip's WAV.")
CHOICES = (
    SYSTEM,
    UTTERANCE,
    Column("choice", "number", "The score."),
    Column("listenerId", "id", "Who rated; a pseudonym, as in ratings.csv."),
)
CLIPS = (UTTERANCE, Column("mean", "number", "Mean of the clip's scores."))
SYSTEMS = (SYSTEM, Column("mean", "number", "Mean of all its scores."))


def tables(source: Source) -> list[ExportTable]:
    """Return the files; their folder is named clean because their ratings passed the study's checks."""
    scored = Scored(source)

    def choices() -> Iterator[Row]:
        for row in scored.rows():
            yield {
                "systemId": scored.system(row.clip),
                "utteranceId": scored.utterances[row.clip],
                "choice": row.score,
                "listenerId": row.rater,
            }

    def clips() -> Iterator[Row]:
        return ({"utteranceId": scored.utterances[clip], "mean": mean} for clip, mean in scored.means())

    def systems() -> Iterator[Row]:
        return ({"systemId": system, "mean": mean} for system, mean in scored.system_means())

    return [
        ExportTable("TRAINSET", CHOICES, choices, f"{FOLDER}/TRAINSET"),
        ExportTable("train_mos_list", CLIPS, clips, f"{FOLDER}/train_mos_list.txt"),
        ExportTable("train_system", SYSTEMS, systems, f"{FOLDER}/train_system.csv"),
        names(scored),
    ]
