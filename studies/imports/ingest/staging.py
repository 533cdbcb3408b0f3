"""Decode every file of a manifest into a scratch folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from studies.imports.ingest.anchors import Anchor
from studies.imports.ingest.archive import FileSource
from studies.imports.ingest.decoder import DecoderProcess
from studies.imports.ingest.facts import Facts, Target
from studies.imports.ingest.manifest import ManifestRow
from studies.imports.ingest.problems import ImportProblem, InvalidInput

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

    `report` is called with (done, all) before each clip and every few seconds within one; an exception from it stops
    the import.
    """
    staged: dict[str, Staged] = {}
    problems: list[ImportProblem] = []
    hashes: dict[str, ManifestRow] = {}
    # An anchor comes after its reference, which it is made of.
    wanted = [*((row, None) for row in rows), *((anchor.row, anchor) for anchor in anchors)]
    done, total = 0, len(wanted)
    with DecoderProcess(target, beat=lambda: report(done, total)) as decoder:
        for done, (row, anchor) in enumerate(wanted):
            report(done, total)
            # Names of our own: those in the manifest never reach the file system.
            original, rendition = folder / f"{done}.in", folder / f"{done}.out"
            try:
                if anchor is None:
                    _copy(source, row, original)
                elif anchor.of in staged:
                    decoder.lowpass(staged[anchor.of].original, original, anchor.hertz)
                else:
                    continue
                reference = None if anchor is None else staged[anchor.of].original
                clip = Staged(row, decoder.decode(original, rendition, reference), original, rendition)
            except InvalidInput as error:
                original.unlink(missing_ok=True)
                rendition.unlink(missing_ok=True)
                problems.append(ImportProblem(row.number, row.file, "file", str(error)))
            else:
                staged[row.file] = clip
                problems += _warnings(clip, target, hashes)
    report(total, total)
    return list(staged.values()), problems


def _copy(source: FileSource, row: ManifestRow, original: Path) -> None:
    if reason := source.missing(row.file):
        raise InvalidInput(reason)
    source.copy(row.file, original)


def _warnings(clip: Staged, target: Target, hashes: dict[str, ManifestRow]) -> list[ImportProblem]:
    row, facts = clip.row, clip.facts
    reasons = []
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
