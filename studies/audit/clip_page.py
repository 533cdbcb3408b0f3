"""The page of one clip: listen, measures, labels, text, places, and withdrawing it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from core import clock
from studies.audit import clip_list, overview, queries, words
from studies.clips import black_box
from studies.clips.models import Clip
from studies.imports import changes
from studies.members.pages import do_and_say, own_page, show
from studies.pool.models import Pool

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.models import Study


def _withdraw(clip: Clip) -> str:
    changes.withdraw(clips=[clip.pk], now=clock.now())
    return _("{file} was withdrawn.").format(file=clip.file)


def _restore(clip: Clip) -> str:
    changes.restore(clips=[clip.pk], now=clock.now())
    return _("{file} was restored.").format(file=clip.file)


@own_page()
def clip_page(request: HttpRequest, study: Study, clip: int) -> HttpResponse:
    """Show one clip; POST withdraws or restores it."""
    row = get_object_or_404(Clip.objects.select_related("system", "text", "audit"), study=study, pk=clip)
    if request.method == "POST":
        if "withdraw" in request.POST or "restore" in request.POST:
            do_and_say(request, study, partial(_withdraw if "withdraw" in request.POST else _restore, row))
        return redirect("studies:clip", study.slug, row.pk)
    withheld = row.text is not None and row.text.name in black_box.withheld(study, request.user)
    line = overview.line(queries.clip(row.pk), None)
    context = {
        "clip": row,
        "is_measured": line.is_measured,
        "row": clip_list.row(row),
        "measures": list(_measures(row, line)),
        "labels": [(label, value) for label, value in _labels(row) if value],
        "body": row.text.body if row.text and not withheld else "",
        "is_withheld": withheld,
        "places": Pool.objects.filter(item__clips__clip=row, cell__simulated=False).aggregate(
            items=Count("pk", distinct=True), wanted=Sum("wanted", default=0), taken=Sum("taken", default=0)
        ),
    }
    return show(request, study, "studies/audit/clip.html", row.file, context)


def _measures(clip: Clip, line: overview.ClipLine) -> Iterator[tuple[Words, str]]:
    """Yield labels and values with units: of the rendition, then of the source."""
    yield _("Duration"), f"{line.duration if line.is_measured else f'{clip.duration:.2f}'} s"
    if line.is_measured:
        for measure, value in zip(words.MEASURES.values(), line.measures, strict=True):
            yield measure.label, value if value == "–" else f"{value} {measure.value_unit}"
        yield _("True peak"), f"{line.true_peak} dBTP"
        yield _("99 % roll-off"), f"{line.rolloff} kHz"
        yield _("DC offset"), f"{line.dc_offset} %"
    yield _("Source"), line.source
    yield _("Clipped in the source"), line.clipped if line.clipped == "–" else f"{line.clipped} %"


def _labels(clip: Clip) -> Iterator[tuple[str, str]]:
    yield _("System"), clip.system.name
    yield _("Role"), str(clip.get_role_display())
    yield _("Voice"), clip.voice
    yield _("Dimension"), clip.dimension
    yield _("Language"), clip.language
    yield _("Box"), clip.box
    yield _("Benchmark"), clip.benchmark
    yield _("Condition"), clip.condition
    yield _("Domain"), clip.domain
    yield _("Take"), clip.take
    yield _("Speaker prompt"), clip.prompt_file
    yield _("Trained on the benchmark"), str(clip.get_seen_display())
    yield from ((str(name), str(value)) for name, value in (clip.extra or {}).items())
