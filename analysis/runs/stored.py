"""Which stored files belong to exports and analyses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from analysis.exports.models import Export
from analysis.runs.models import Analysis
from core.database.paging import paged
from core.hooks import StoredFile


def files(study: int | None) -> Iterator[StoredFile]:
    """Yield the stored files of one study's exports and analyses, or of all."""
    exports, analyses = Export.objects.exclude(file=""), Analysis.objects.exclude(files={})
    if study is not None:
        exports, analyses = exports.filter(study=study), analyses.filter(study=study)
    for row in paged(exports.values("pk", "file"), "pk"):
        yield StoredFile(row["file"], f"the file of export {row['pk']}")
    for row in paged(analyses.values("pk", "files"), "pk"):
        translated = row["files"].get("translated", {}).values()
        for plot in chain(row["files"].get("plots", []), *translated):
            yield from (StoredFile(plot[kind], f"a plot of analysis {row['pk']}") for kind in ("svg", "png"))
        for name, file in row["files"].get("documents", {}).items():
            if name != "problem":
                yield StoredFile(file, f"{name} of analysis {row['pk']}")
