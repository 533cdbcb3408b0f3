"""Plan the low-pass anchors that an import makes in addition to the clips of its manifest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from studies.imports.ingest.manifest import LONGEST, ManifestRow
from studies.imports.ingest.names import folded
from studies.imports.ingest.problems import ImportProblem

# As `anchors` names them.
NAME = re.compile(r"anchors/[0-9]+/(.+)", re.DOTALL)


@dataclass(frozen=True)
class Anchor:
    """A clip to make: its row (numbered like its reference's), the reference's file, and the cut-off."""

    row: ManifestRow
    of: str
    hertz: int


def anchors(
    rows: Sequence[ManifestRow], cutoffs: Iterable[int], files: Iterable[str]
) -> tuple[list[Anchor], list[ImportProblem]]:
    """Return an anchor for each reference and cut-off in Hz, and those whose name is too long or among `files`.

    A text that has an anchor of this cut-off among the rows gets no other.
    """
    used_names = {folded(file) for file in files}
    existing = {(row.text_id, row.system) for row in rows if row.role == "anchor"}
    new, problems = [], []
    for hertz in cutoffs:
        for row in rows:
            if row.role != "reference" or (row.text_id, system_of(hertz)) in existing:
                continue
            file = f"anchors/{hertz}/{row.file}"
            if folded(file) in used_names:
                reason = (
                    f"The anchor made of this reference is named {file}, like another row's file. Rename that file."
                )
            elif len(file) > LONGEST["file"]:
                reason = "The name is too long for the anchor made of this reference. Shorten it."
            else:
                new.append(Anchor(_row(row, file, hertz), row.file, hertz))
                continue
            problems.append(ImportProblem(row.number, row.file, "file", reason))
    return new, problems


def reference_of(file: str) -> str:
    """Return the file of the reference that an anchor of this name was made of; empty for another name."""
    made = NAME.fullmatch(file)
    return made[1] if made else ""


def system_of(hertz: int) -> str:
    """Return the system of the anchors of this cut-off."""
    return f"anchor {hertz / 1000:g} kHz"


def _row(reference: ManifestRow, file: str, hertz: int) -> ManifestRow:
    """Return the anchor's row: the text is the reference's; voice and system are not."""
    row = replace(
        reference, file=file, system=system_of(hertz), role="anchor", voice="", condition="", domain="", take=""
    )
    return replace(row, prompt_file="", seen="", expected="")
