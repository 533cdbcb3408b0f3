"""Decode every file of a manifest into a scratch folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Lock

from studies.imports.ingest.anchors import Anchor
from studies.imports.ingest.archive import FileSource
from studies.imports.ingest.decoder import DecoderProcess
from studies.imports.ingest.decoders import Decoders
from studies.imports.ingest.facts import Facts, Target
from studies.imports.ingest.manifest import ManifestRow
from studies.imports.ingest.problems import ImportProblem, InvalidInput, UncertainEnd

# Puts the original of a clip in place, and returns that of the reference that it keeps in time with.
Bring = Callable[[DecoderProcess, Path], Path | None]
# A rendition this far below the loudness wanted, in LU, is worth a warning.
NOTABLE = 0.5


@dataclass(frozen=True)
class Staged:
    """An accepted clip: its row, its measurements, and the paths of its temporary files."""

    row: ManifestRow
    facts: Facts
    original: Path
    rendition: Path


def stage(
    source: FileSource,
    rows: Sequence[ManifestRow],
    target: Target,
    folder: Path,
    report: Callable[[int, int], None],
    anchors: Sequence[Anchor] = (),
) -> tuple[list[Staged], list[ImportProblem]]:
    """Decode all files, make the anchors of the accepted ones, and return accepted clips and problems.

    A clip that an earlier try left complete in `folder` isn't decoded again. `report` is called with (done, all) after
    each clip and every few seconds within one; an exception from it stops the import.
    """
    staged: dict[str, Staged] = {}
    problems: list[ImportProblem] = []
    hashes: dict[str, ManifestRow] = {}
    done, total = 0, len(rows) + len(anchors)
    # Of an archive, one file is read at a time.
    reading = Lock()

    def fetch(row: ManifestRow, decoder: DecoderProcess, original: Path) -> None:
        if reason := source.missing(row.file):
            raise InvalidInput(reason)
        with reading:
            source.copy(row.file, original)

    def make(anchor: Anchor, decoder: DecoderProcess, original: Path) -> Path:
        reference = staged[anchor.of].original
        decoder.lowpass(reference, original, anchor.hertz)
        return reference

    report(0, total)
    with Decoders(target, beat=lambda: report(done, total)) as decoders:
        fetched: list[tuple[ManifestRow, Bring]] = [(row, partial(fetch, row)) for row in rows]
        made: Iterator[tuple[ManifestRow, Bring]] = (
            (each.row, partial(make, each)) for each in anchors if each.of in staged
        )
        # Anchors come after their references, which they are made of.
        for clips in (fetched, made):
            listed = list(clips)
            tasks = (partial(_stage_one, row, bring, target, folder) for row, bring in listed)
            for (row, _bring), clip in zip(listed, decoders.each(tasks), strict=True):
                done += 1
                report(done, total)
                if isinstance(clip, InvalidInput):
                    is_uncertain = isinstance(clip, UncertainEnd)
                    problems.append(ImportProblem(row.number, row.file, "file", str(clip), uncertain=is_uncertain))
                else:
                    staged[row.file] = clip
                    problems += _warnings(clip, target, hashes)
    if done < total:
        # Anchors of references that were refused.
        report(total, total)
    return list(staged.values()), problems


def _stage_one(
    row: ManifestRow,
    bring: Bring,
    target: Target,
    folder: Path,
    decoder: DecoderProcess,
) -> Staged | InvalidInput:
    """Return the decoded clip, or why it was refused."""
    # Names of our own: those in the manifest never reach the file system.
    name = hashlib.sha256(json.dumps([row.file, asdict(target)]).encode()).hexdigest()[:32]
    original, rendition, record = (folder / f"{name}.{ending}" for ending in ("in", "out", "json"))
    if (known := _decoded_before(record, rendition)) is not None:
        return Staged(row, known, original, rendition)
    for path in (original, rendition):
        path.unlink(missing_ok=True)
    try:
        reference = bring(decoder, original)
        clip = Staged(row, decoder.decode(original, rendition, reference), original, rendition)
    except InvalidInput as error:
        original.unlink(missing_ok=True)
        rendition.unlink(missing_ok=True)
        return error
    unfinished = record.with_suffix(".new")
    unfinished.write_text(json.dumps(clip.facts.as_dict()))
    unfinished.replace(record)
    return clip


def _decoded_before(record: Path, rendition: Path) -> Facts | None:
    """Return what an earlier try measured on a clip, if it was finished, and by this release."""
    try:
        facts = Facts(**json.loads(record.read_text()))
        return facts if rendition.stat().st_size == facts.rendition_bytes else None
    except (OSError, ValueError, TypeError):
        return None


def _warnings(clip: Staged, target: Target, hashes: dict[str, ManifestRow]) -> list[ImportProblem]:
    row, facts = clip.row, clip.facts
    reasons = list(facts.warnings)
    before = hashes.setdefault(facts.sha256, row)
    if before is not row:
        reasons.append(f"The file has the same bytes as {before.file} (row {before.number}): raters may hear it twice.")
    if target.sample_rate is not None and facts.sample_rate > target.sample_rate:
        reasons.append(
            f"The recording has a sample rate of {facts.sample_rate:,} Hz. It is converted to "
            f"{target.sample_rate:,} Hz, the rate of this study."
        )
    if target.loudness is not None and facts.delivered is None:
        reasons.append("The clip is too short or too quiet for its loudness to be measured, so it was not adjusted.")
    elif target.loudness is not None and facts.delivered is not None and facts.delivered < target.loudness - NOTABLE:
        reasons.append(
            f"The clip is delivered at {facts.delivered:.1f} LUFS, not {target.loudness:g}: "
            "more would exceed the highest peak."
        )
    return [ImportProblem(row.number, row.file, "file", reason, True) for reason in reasons]
