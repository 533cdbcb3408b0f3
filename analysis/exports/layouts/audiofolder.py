"""Hugging Face AudioFolder: metadata.csv with a file_name for the audio next to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from analysis.exports.columns import Column, ExportTable, Row
from analysis.exports.layouts.scored import Scored
from analysis.exports.source import Source
from core.files import storage
from studies.clips import queries as clips_queries

FOLDER = "audio"
ABOUT = (
    Column("clip", "text", "File of the clip, as in the manifest and in ratings.csv."),
    Column("system", "text", "Speech synthesiser, or human."),
    Column("voice", "text", "Voice of the system."),
    Column("text_id", "text", "Name of the text that is spoken."),
    Column("text", "text", "The text that is spoken; empty where it is withheld."),
    Column("dimension", "text", "Group of texts, as in the manifest."),
    Column("language", "text", "Language of the clip."),
    Column("score", "number", "Mean of the clip's usable scores."),
    Column("ratings", "number", "How many there are."),
    Column("duration", "number", "Length of the clip.", "s"),
)
METADATA = (Column("file_name", "id", "Where the clip's audio is, as raters heard it."), *ABOUT)
WITHHELD = tuple(column for column in ABOUT if column.name not in {"text", "duration"})


def tables(source: Source) -> list[ExportTable]:
    """Return metadata.csv of the rated clips; open exports list black-box clips apart, without audio (rule D11)."""
    scored = Scored(source)

    def about(file: str) -> Row:
        clip, score = scored.clips[file], scored.votes[file]
        return {
            "file_name": f"{FOLDER}/{scored.utterances[file]}",
            "clip": file,
            "system": clip.system,
            "voice": clip.voice,
            "text_id": clip.text_id,
            "text": None if source.keeps_words(clip.box, clip.text_id) else clip.text,
            "dimension": clip.dimension,
            "language": clip.language,
            "score": sum(score) / len(score),
            "ratings": len(score),
            "duration": clip.duration,
        }

    def rows() -> Iterator[Row]:
        return (about(file) for file in sorted(scored.votes) if not is_withheld(source, scored, file))

    def withheld() -> Iterator[Row]:
        return (about(file) for file in sorted(scored.votes) if is_withheld(source, scored, file))

    listed = [ExportTable("metadata", METADATA, rows, "metadata.csv")]
    return [*listed, ExportTable("withheld", WITHHELD, withheld, "withheld.csv")] if source.is_open else listed


def is_withheld(source: Source, scored: Scored, file: str) -> bool:
    """True if an open export leaves out a clip's audio: the clip, or its text in the corpus, is black-box."""
    clip = scored.clips[file]
    return source.keeps_audio(clip.box, clip.text_id)


def copy_audio(source: Source, folder: Path) -> Iterator[Path]:
    """Copy the audio that metadata.csv names, as raters heard it, and yield each file."""
    scored = Scored(source)
    wanted = {file for file in scored.votes if not is_withheld(source, scored, file)}
    for file, rendition in clips_queries.of_study(source.study.pk):
        if file not in wanted:
            continue
        path = folder / FOLDER / scored.utterances[file]
        path.parent.mkdir(parents=True, exist_ok=True)
        with storage.open_file(rendition) as stored, open(path, "wb") as target:
            shutil.copyfileobj(stored, target, 1 << 20)
        yield path
