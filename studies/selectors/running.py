"""Studies that collect answers now."""

from __future__ import annotations

from studies.models import Study


def with_looks() -> list[int]:
    """Return the running studies that named looks before their launch; one SELECT of studies that run."""
    rows = Study.objects.filter(state__in=[Study.State.LIVE, Study.State.PAUSED]).values_list("pk", "draft")
    return [pk for pk, draft in rows if draft.get("results", {}).get("looks")]
