"""Analyses of a study, how a repeated one compares, and their stored files."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any

from django.db.models import QuerySet

from analysis.data.models import Simulated
from analysis.exports.models import Export
from analysis.runs.models import Analysis
from core.database.paging import paged
from core.errors import NotFound
from core.hooks import StoredFile
from core.jobs import DONE
from raters.rating import ratings
from studies.clips import queries as clips_queries


def of(study_id: int) -> QuerySet[Analysis]:
    """Return a study's analyses, newest first, without their results."""
    rows = Analysis.objects.filter(study_id=study_id).select_related("created_by", "repeats")
    return rows.defer("results", "repeats__results").order_by("-pk")


def analysis(study_id: int, pk: int) -> Analysis:
    """Return one analysis of this study with its results; raises `NotFound`."""
    rows = Analysis.objects.filter(study_id=study_id, pk=pk).select_related("study", "created_by", "repeats")
    row = rows.first()
    if row is None:
        raise NotFound("There is no such analysis of this study.")
    return row


def has_ratings(study_id: int, simulated: Simulated, versions: Collection[int]) -> bool:
    """True if these sessions of these versions (numbers) have a rating, usable or not."""
    keys = [pk for pk, number in clips_queries.numbers(study_id).items() if number in versions]
    return ratings.of_study(study_id, simulated.flag, keys).exists()


def rated_sessions(study_id: int) -> Simulated:
    """Return the choice for a new analysis: simulated sessions only if no others have ratings."""
    has_real, has_simulated = (ratings.of_study(study_id, flag).exists() for flag in (False, True))
    return Simulated.ONLY if has_simulated and not has_real else Simulated.WITHOUT


def outcome(again: Analysis) -> str:
    """Compare a run with the one it repeats: "same", "inputs", "code", "differs", or "" (not comparable).

    "inputs": answers or decisions have changed, so other figures are correct; "code": the software has changed.
    """
    before = again.repeats
    if before is None or again.state != DONE or before.state != DONE:
        return ""
    if again.fingerprint != before.fingerprint:
        return "inputs"
    if figures(again.results) == figures(before.results):
        return "same"
    return "code" if again.code_version != before.code_version else "differs"


def figures(results: dict[str, Any]) -> dict[str, Any]:
    """Return the results that must be the same in a repeated run: all but the code's version and sentence patterns."""
    inputs = {name: value for name, value in results.get("inputs", {}).items() if name != "code_version"}
    rest = {name: value for name, value in results.items() if name != "sentences"}
    return {**rest, "inputs": inputs}


def stored_files(study: int | None) -> Iterator[StoredFile]:
    """Yield the stored files of exports and analyses, of one study or of all."""
    exports, analyses = Export.objects.exclude(file=""), Analysis.objects.exclude(files={})
    if study is not None:
        exports, analyses = exports.filter(study=study), analyses.filter(study=study)
    for row in paged(exports.values("pk", "file"), "pk"):
        yield StoredFile(row["file"], f"the file of export {row['pk']}")
    for row in paged(analyses.values("pk", "files"), "pk"):
        translated = row["files"].get("translated", {}).values()
        for plot in chain(row["files"].get("plots", []), *translated):
            yield from (StoredFile(plot[kind], f"a plot of analysis {row['pk']}") for kind in ("svg", "png"))
        # `outdated`: to be replaced after an erasure.
        for kind in ("documents", "outdated"):
            for name, file in row["files"].get(kind, {}).items():
                if name != "problem":
                    yield StoredFile(file, f"{name} of analysis {row['pk']}")
