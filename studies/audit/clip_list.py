"""The table of a study's clips: filtered, sorted and paged by the database, whatever the number of clips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.web.counted_pages import CountedPaginator
from studies.audit import words
from studies.audit.models import ClipAudit
from studies.audit.outliers import FAR, Outlier
from studies.audit.waveform import DIGITS
from studies.clips.figures import Group
from studies.clips.models import Clip
from studies.definition.models import Study

ROWS = 100
# Of one drawing, in its own units.
HEIGHT, STEP = 24, 2
SORTS = {
    "outliers": gettext_lazy("Clips that stand out first"),
    "file": gettext_lazy("File name"),
    "duration": gettext_lazy("Shortest first"),
    "newest": gettext_lazy("Newest first"),
}
ORDERS: Mapping[str, tuple[Any, ...]] = {
    "outliers": ("-distance", "file"),
    "file": ("file",),
    "duration": ("duration", "file"),
    "newest": ("-added_at", "file"),
}
SHOWN = {
    "": gettext_lazy("All in use"),
    "far": gettext_lazy("Those that stand out"),
    "problem": gettext_lazy("Silent or unreadable"),
    "withdrawn": gettext_lazy("Deleted or withdrawn"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """Which clips to show, in which order; what a link names and nobody knows is left out."""

    search: str = ""
    system: str = ""
    role: str = ""
    dimension: str = ""
    show: str = ""
    sort: str = "outliers"

    @classmethod
    def of(cls, sent: Mapping[str, Any]) -> Filters:
        values = {name: str(sent.get(name, "")).replace("\0", "").strip()[:200] for name in cls.__slots__}
        values["show"] = values["show"] if values["show"] in SHOWN else ""
        values["sort"] = values["sort"] if values["sort"] in SORTS else "outliers"
        return cls(**values)

    @property
    def is_filtering(self) -> bool:
        return bool(self.search or self.system or self.role or self.dimension or self.show)

    @property
    def query(self) -> str:
        """Return the filters as the query of an address, ready for more parameters; empty without any."""
        named = {name: value for name in self.__slots__ if (value := getattr(self, name))}
        if named.get("sort") == "outliers":
            del named["sort"]
        return urlencode(named) + "&" if named else ""


def matching(study: Study, filters: Filters) -> QuerySet[Clip]:
    """Return the clips that match, without an order."""
    rows = Clip.objects.filter(study=study, withdrawn_at__isnull=filters.show != "withdrawn").order_by()
    if filters.system:
        rows = rows.filter(system__name=filters.system)
    if filters.role:
        rows = rows.filter(role=filters.role)
    if filters.dimension:
        rows = rows.filter(dimension=filters.dimension)
    if filters.show == "far":
        rows = rows.filter(distance__gte=FAR)
    if filters.show == "problem":
        rows = rows.exclude(Q(audit=None) | Q(audit__problem=""))
    if filters.search:
        found = Q(file__icontains=filters.search) | Q(text__name__icontains=filters.search)
        rows = rows.filter(found | Q(text__body__icontains=filters.search))
    return rows


def number_of(groups: Sequence[Group], filters: Filters) -> int | None:
    """Return how many clips match; None where only their rows say so."""
    if filters.search or filters.show not in ("", "withdrawn"):
        return None
    return sum(
        group.clips
        for group in groups
        if group.is_withdrawn == (filters.show == "withdrawn")
        and filters.system in ("", group.system)
        and filters.role in ("", group.role)
        and filters.dimension in ("", group.dimension)
    )


def context(study: Study, groups: Sequence[Group], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template of the table needs: one page of rows, the filters and their choices."""
    filters = Filters.of(sent)
    rows = matching(study, filters).select_related("system", "text", "audit").order_by(*ORDERS[filters.sort])
    page = CountedPaginator(rows, ROWS, number_of(groups, filters)).get_page(sent.get("page"))
    return {
        "filters": filters,
        "query": filters.query,
        "page": page,
        "clips": [row(clip) for clip in page.object_list],
        "systems": sorted({group.system for group in groups}),
        "dimensions": sorted({group.dimension for group in groups if group.dimension}),
        "all_roles": [(role.value, role.label) for role in Clip.Role],
        "sorts": SORTS.items(),
        "shown": SHOWN.items(),
    }


def row(clip: Clip) -> dict[str, Any]:
    """Return one line of the table; numbers as text, with a dash where nothing was measured."""
    audit: ClipAudit | None = getattr(clip, "audit", None)
    if audit is not None and audit.rendition != clip.rendition:
        audit = None
    measures = audit.measures if audit is not None else {}
    return {
        "clip": clip,
        "duration": f"{clip.duration:.2f}",
        "loudness": _value("loudness", measures.get("loudness")),
        "pauses": _value("pauses", measures.get("pauses")),
        "bandwidth": _value("bandwidth", measures.get("bandwidth")),
        "finding": _finding(audit),
        "is_bad": audit is not None and bool(audit.problem),
        "waveform": waveform(audit.peaks) if audit is not None else "",
        "width": STEP * len(audit.peaks) if audit is not None else 0,
    }


def _value(name: str, value: float | None) -> str:
    return "–" if value is None else words.MEASURES[name].value(value)


def _finding(audit: ClipAudit | None) -> str:
    if audit is None:
        return _("not measured yet")
    if audit.problem:
        return str(ClipAudit.Problem(audit.problem).label)
    if audit.outlier_distance is None or audit.outlier_distance < FAR or audit.outlier_measure not in words.MEASURES:
        return ""
    return words.of_outlier(Outlier(audit.outlier_measure, audit.outlier_by or 0.0, audit.outlier_distance))


def waveform(peaks: str) -> str:
    """Return the path of a drawing: a vertical stroke for each digit of `peaks`."""
    middle = HEIGHT / 2
    strokes = []
    for number, digit in enumerate(peaks):
        half = max(0.5, DIGITS.index(digit) / (len(DIGITS) - 1) * (middle - 1))
        strokes.append(f"M{STEP * number + 1} {middle - half:.1f}v{2 * half:.1f}")
    return "".join(strokes)
