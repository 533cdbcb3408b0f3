"""Frozen copies of a study: private ones for previews and dry runs, and pilots.

A private copy has no owner and no real places, `Study.objects` excludes it, and it is deleted with all its data. A
pilot has real places and raters. Copies share the stored files of the study's clips.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Q

from core import hooks
from core import rng as random
from core.database.references import delete_with_references
from core.errors import Conflict
from studies.clips import figures
from studies.clips.models import Clip, Question
from studies.clips.stored import discard_unnamed, root_of
from studies.definition.models import Study, StudyVersion
from studies.launch import checks, material
from studies.launch import plan as plans
from studies.launch.states import frozen
from studies.pool import layout
from studies.pool.models import Cell
from studies.task_types.base import ItemPlan

LASTS = timedelta(days=1)
# Items of a system and dimension that a preview copies: more than any rater meets.
ENOUGH = 200


def make(*, study: Study, now: datetime, rng: Random | None = None, enough: int | None = ENOUGH) -> int:
    """Copy a draft with its clips for a preview; return the copy's key.

    At most `enough` items of a system and dimension are copied; None: all. Raises `Conflict` if the draft's clips can't
    be laid out.
    """
    with transaction.atomic():
        slug = f"preview-{secrets.token_hex(16)}"
        columns = {"slug": slug, "draft": study.draft, "preview_of": study}
        copy = _made(study=study, columns=columns, now=now, rng=rng, enough=enough)
        Cell.objects.filter(study=copy).update(simulated=True)
    return copy.pk


def make_pilot(
    *, study: Study, slug: str, draft: Mapping[str, Any], number: int, raters: int, now: datetime, rng: Random | None
) -> Study:
    """Copy a draft with all its clips as a live study; inside the caller's transaction, which has locked the study."""
    columns = {"slug": slug, "draft": draft, "pilot_of": study, "pilot_number": number, "pilot_raters": raters}
    columns |= {"state": Study.State.LIVE, "launched_at": now}
    return _made(study=study, columns=columns, now=now, rng=rng, enough=None)


def _made(*, study: Study, columns: dict[str, Any], now: datetime, rng: Random | None, enough: int | None) -> Study:
    plan, planned = plans.planned(study)
    blocking = checks.layout_findings(plan)
    if blocking:
        raise Conflict(" ".join(blocking), code="preview_blocked", findings=blocking)
    items = planned if enough is None else list(_sample(planned, enough))
    copy = Study.with_previews.create(title=study.title, notice=study.notice, created_at=now, **columns)
    body, sha256 = frozen(copy.definition)
    StudyVersion.objects.create(study=copy, number=1, definition=body, sha256=sha256, published_at=now)
    _copy_material(study, copy, {clip for item in items for clip in item.clips})
    figures.keep(copy, now)
    layout.lay_out(study=copy, now=now, rng=rng or random.fresh())
    return copy


def expired(now: datetime) -> list[int]:
    """Return the copies that are older than a day; one SELECT."""
    copies = Study.with_previews.filter(preview_of__isnull=False, created_at__lt=now - LASTS)
    return list(copies.values_list("pk", flat=True))


def delete(copy_id: int) -> None:
    """Delete a copy and every row that refers to it, inside the caller's transaction; then its own files.

    Files of clips are deleted if the study has deleted its clip in the meantime.
    """
    is_copy = Q(preview_of__isnull=False) | Q(pilot_of__isnull=False)
    copy = Study.with_previews.filter(is_copy, pk=copy_id).first()
    if copy is not None:
        names, root = [file.name for file in hooks.named_files(copy_id)], root_of(copy)
        delete_with_references(Study, [copy_id])
        transaction.on_commit(lambda: discard_unnamed(names, root=root))


def _sample(items: Collection[ItemPlan], enough: int) -> Iterator[ItemPlan]:
    """Yield the first items of each role, system and dimension."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for item in items:
        cell = (item.role, item.system, item.dimension)
        counts[cell] += 1
        if counts[cell] <= enough:
            yield item


def _copy_material(study: Study, copy: Study, clips: Collection[int]) -> None:
    rows = Clip.objects.filter(study=study, withdrawn_at=None).order_by("pk")
    chosen = [clip for clip in rows.iterator(material.CHUNK) if clip.pk in clips or clip.role == Clip.Role.TRAINING]
    texts = {clip.text_id for clip in chosen}
    questions = Question.objects.filter(study=study).order_by("pk")
    asked = [question for question in questions if question.golden or question.text_id in texts]
    material.copy_clips(study=study, copy=copy, clips=chosen, questions=asked)
