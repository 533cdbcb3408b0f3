"""Raters' reasons and notes, and how many still await an expert."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analysis.data.groups import kind, system
from analysis.data.models import Simulated
from raters.experts import code_tables, coding_overview, review_overview
from raters.rating import breakdowns as counts
from studies.clips import black_box
from studies.clips.tables import Groups
from studies.definition import queries as definition_queries

if TYPE_CHECKING:
    from studies.definition.models import Study

NOTES = 100


def reviews_pending(study_id: int, simulated: Simulated, *, most: int | None = None) -> int:
    """Count the reasons that experts have not decided yet; their answers count for now.

    `most` stops the count: a result of `most` + 1 means "more".
    """
    settings = definition_queries.study_of(study_id).definition.review
    if simulated == Simulated.ONLY and not settings.simulated:
        return 0
    return review_overview.pending(study_id, settings, most=most)


def expert_work(study: Study, simulated: Simulated) -> dict[str, dict[str, Any]]:
    """Return the settings and the progress of the review and of the coding, where the study has them."""
    definition, work = study.definition, {}
    for name, settings in (("review", definition.review), ("coding", definition.coding)):
        if settings.mode == "off" or (simulated == Simulated.ONLY and not settings.simulated):
            continue
        overview = review_overview if name == "review" else coding_overview
        counts = overview.counts(study.pk, settings)
        work[name] = {
            "mode": settings.mode,
            "share": settings.share,
            "double_share": settings.double_share,
            "done": counts["done"],
            "experts": len(overview.experts(study.pk)),
        }
    if "coding" in work:
        work["coding"] |= {"codes": len(definition.coding.codes), "built_in": definition.coding.built_in}
    return work


def notes(study_id: int, which: bool | None, groups: dict[int, Groups], *, is_coded: bool = False) -> dict[str, Any]:
    """Return the first notes that raters wrote with their answers, by system; the download has them all.

    `is_coded` adds the codes from experts to each note as `issue`: None if not coded yet, empty if no code fits.
    """
    total, listed = counts.notes(study_id, which, NOTES)
    keys = [row.pop("rating") for row in listed]
    pairs = [(row, groups[row.pop("heard")]) for row in listed]
    if is_coded:
        names = code_tables.of_comments(study_id, keys)
        for key, (row, _clip) in zip(keys, pairs, strict=True):
            row["issue"] = "; ".join(names[key]) if key in names else None
    return {
        "total": total,
        "listed": [{**row, "system": system(clip), "kind": kind(clip)} for row, clip in pairs],
    }


def without_black_prompts(study: Study, notes: Mapping[str, Any], instead: str | None) -> dict[str, Any]:
    """Replace the questions about black-box passages in notes with `instead` (rule D11)."""
    black = black_box.prompts(study)
    listed = [{**note, "prompt": instead} if note.get("prompt") in black else note for note in notes.get("listed", ())]
    return {**notes, "listed": listed}


def figures_for(user: Any, study: Study, figures: Mapping[str, Any], instead: str | None = None) -> dict[str, Any]:
    """Return a page's stored figures without black-box questions if this user may not see those."""
    if "notes" not in figures or black_box.gets_words(study, user):
        return dict(figures)
    return {**figures, "notes": without_black_prompts(study, figures["notes"], instead)}
