"""The plan of a study: what its first version fixed, and what later ones changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studies.definition import queries as definition_queries
from studies.definition.parsing import parse
from studies.launch import changes
from studies.pool import queries as pool_queries

if TYPE_CHECKING:
    from studies.definition.models import Study

# Settings that say nothing about the plan.
LEFT_OUT = frozenset({"crowd"})


def collected(study: Study, which: bool | None) -> dict[str, Any] | None:
    """Return the plan as `CollectedPlan` without its power; None before the launch."""
    versions = definition_queries.versions(study.pk)
    if not versions:
        return None
    definitions = [parse(version.definition) for version in versions]
    first = definitions[0]
    planned = first.results
    items = {place.item: place for place in pool_queries.places(study.pk, which)}
    return {
        "launched": versions[0].published_at.date().isoformat(),
        "ratings_wanted": first.protocol.ratings_wanted,
        "margin": planned.margin,
        "margin_reason": planned.margin_reason,
        "primary": planned.primary,
        "looks": planned.looks,
        "contrasts": planned.contrasts,
        "changes": [
            {
                "version": version.number,
                "date": version.published_at.date().isoformat(),
                "group": change.group,
                "name": change.name,
                "before": "" if change.is_text else change.before,
                "after": "" if change.is_text else change.after,
            }
            for version, before, after in zip(versions[1:], definitions, definitions[1:], strict=False)
            for change in changes.between(before, after)
            if change.group not in LEFT_OUT
        ],
        "clips_added": changes.clips_added(study, versions[0]),
        "items": [{"item": key, "system": place.system, "ratings": place.wanted} for key, place in items.items()],
    }
