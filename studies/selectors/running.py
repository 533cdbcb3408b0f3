"""Studies that collect answers now, and those that do no more."""

from __future__ import annotations

from studies.models import Study


def with_looks() -> list[int]:
    """Return the running studies that named looks before their launch; one SELECT of studies that run."""
    rows = Study.objects.filter(state__in=[Study.State.LIVE, Study.State.PAUSED]).values_list("pk", "draft")
    return [pk for pk, draft in rows if draft.get("results", {}).get("looks")]


def closed() -> list[int]:
    """Return the studies that are closed; one SELECT."""
    return list(Study.objects.filter(state=Study.State.CLOSED).values_list("pk", flat=True))
