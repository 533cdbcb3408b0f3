"""Usable scores for the files of other tools, and names that these tools can read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from analysis.data.groups import HUMAN
from analysis.exports import ratings
from analysis.exports.columns import Column, ExportTable, Row
from analysis.exports.source import Source
from analysis.sections.shared import Record
from studies.clips import tables as clips_tables

# Some tools split fields at commas, others names at blanks or underscores.
UNSAFE = re.compile(r"[^A-Za-z0-9.\-]")
SPACES = "/\\_ ,"


class LayoutRating(Record):
    """A usable score, with the cells of ratings.csv that other tools' files need."""

    session: str
    rater: str
    trial_index: int
    clip: str
    clip_role: str
    system: str
    text_id: str | None
    score: float
    response_seconds: float | None
    justification: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class ScoredClip:
    """A clip as in clips.csv; the system of a hidden reference is human."""

    system: str
    voice: str
    box: str
    text_id: str | None
    text: str | None
    dimension: str
    language: str
    duration: float
    sha256: str


@dataclass
class Scored:
    """The usable test scores of an export, row by row or by clip; read twice at most."""

    source: Source

    def rows(self) -> Iterator[LayoutRating]:
        """Yield the scored part of usable answers to test items, without golden questions."""
        part = self.source.definition.kind.score.part
        for row in ratings.rows(self.source):
            counts = row["part"] == part and row["usable"] and row["role"] == "test" and not row["golden"]
            if counts and row["score"] is not None and row["clip"] is not None:
                yield LayoutRating.model_validate(row)

    @cached_property
    def votes(self) -> dict[str, list[float]]:
        """{clip: its scores} in the order of rating; eight bytes per score."""
        scores: defaultdict[str, list[float]] = defaultdict(list)
        for row in self.rows():
            scores[row.clip].append(row.score)
        return dict(scores)

    @cached_property
    def clips(self) -> dict[str, ScoredClip]:
        """Return {file: clip}."""
        return {
            row["file"]: ScoredClip(
                system=HUMAN if row["role"] == "reference" else row["system__name"],
                voice=row["voice"],
                box=row["box"],
                text_id=row["text__name"],
                text=row["text__body"],
                dimension=row["dimension"],
                language=row["language"],
                duration=row["duration"],
                sha256=row["sha256"],
            )
            for row in clips_tables.table(self.source.study.pk)
        }

    @cached_property
    def utterances(self) -> dict[str, str]:
        """{clip: a name for its WAV}, without folders, commas, blanks or underscores."""
        stems = distinct({file: file.rpartition(".")[0] or file for file in self.clips})
        return {file: f"{stem}.wav" for file, stem in stems.items()}

    @cached_property
    def _systems(self) -> dict[str, str]:
        systems = {clip.system for clip in self.clips.values()}
        return distinct({system: system for system in systems})

    def system(self, clip: str) -> str:
        """Return a safe name for the clip's system."""
        return self._systems[self.clips[clip].system]

    def means(self) -> Iterator[tuple[str, float]]:
        """Yield (clip, mean score) by file name."""
        for clip, scores in sorted(self.votes.items()):
            yield clip, fmean(scores)

    def system_means(self) -> Iterator[tuple[str, float]]:
        """Yield (safe system, mean over its ratings), weighting each answer alike (rule C1)."""
        sums: defaultdict[str, list[float]] = defaultdict(list)
        for clip, scores in self.votes.items():
            sums[self.system(clip)] += scores
        yield from ((system, fmean(scores)) for system, scores in sorted(sums.items()))


def distinct(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return a safe name for each key, unique regardless of case and independent of the order of the keys."""
    used_names: set[str] = set()
    names = {}
    for key, name in sorted(wanted.items()):
        number, candidate = 1, safe(name)
        while candidate.casefold() in used_names:
            number += 1
            candidate = f"{safe(name)}-{number}"
        used_names.add(candidate.casefold())
        names[key] = candidate
    return names


def safe(name: str) -> str:
    """Return a name of letters, digits, points and hyphens; letters of other scripts become their code points."""
    written = UNSAFE.sub(lambda match: "-" if match[0] in SPACES else f"u{ord(match[0]):x}", name)
    return written.strip("-") or "x"


def names(scored: Scored) -> ExportTable:
    """Return the table that maps this tool's names back to clips."""
    columns = (
        Column("utterance", "id", "Name of the clip's WAV in the other files."),
        Column("clip", "text", "File of the clip, as in the manifest and in ratings.csv."),
        Column("system", "text", "Its system, as in ratings.csv."),
        Column("sha256", "id", "Hash of the file as it was uploaded."),
    )

    def rows() -> Iterator[Row]:
        for file in sorted(scored.votes):
            clip = scored.clips[file]
            yield {
                "utterance": scored.utterances[file],
                "clip": file,
                "system": clip.system,
                "sha256": clip.sha256,
            }

    return ExportTable("names", columns, rows, "names.csv")
