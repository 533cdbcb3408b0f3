"""Withdraw, restore and delete clips and questions; audio never changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from random import Random

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict
from studies import hooks
from studies.clips import stored
from studies.clips.models import Clip, Question
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.imports import renditions
from studies.pool import layout
from studies.pool.layout import want
from studies.pool.models import Item, Pool
from studies.summaries import services as summaries
from studies.task_types.base import TRAPS


def withdraw(*, clips: Collection[int], now: datetime) -> int:
    """Withdraw clips from new batches; open batches finish with them, and answers stay.

    Returns how many were withdrawn.
    """
    with transaction.atomic():
        studies = _lock(clips)
        changed = Clip.objects.filter(pk__in=clips, withdrawn_at=None).update(withdrawn_at=now)
        items = Item.objects.filter(clips__clip__in=clips, withdrawn_at=None)
        keys = list(items.values_list("pk", flat=True))
        Item.objects.filter(pk__in=keys).update(withdrawn_at=now)
        want(Pool.objects.filter(item__in=keys), 0)
        for study in studies:
            renditions.request(study, now)
            hooks.tell_clips_changed(study, now)
    return changed


def restore(*, clips: Collection[int], now: datetime, rng: Random | None = None) -> int:
    """Restore withdrawn clips, and return their number."""
    with transaction.atomic():
        studies = _lock(clips)
        changed = Clip.objects.filter(pk__in=clips).exclude(withdrawn_at=None).update(withdrawn_at=None)
        for study in studies:
            _restore_items(study, clips)
            if newest(study) is not None:
                layout.lay_out(study=study, now=now, rng=rng)
            renditions.request(study, now)
            hooks.tell_clips_changed(study, now)
    return changed


def remove(*, clips: Collection[int], now: datetime) -> int:
    """Delete clips of studies that were never launched, with their files, and return their number."""
    with transaction.atomic():
        studies = _lock(clips)
        if any(study.launched_at for study in studies):
            raise Conflict(_("Clips of a launched study can be withdrawn, not deleted."), code="launched")
        rows = Clip.objects.filter(pk__in=clips)
        roots = {study.pk: stored.root_of(study) for study in studies}
        names: dict[int, list[str]] = {root: [] for root in roots.values()}
        for study_id, *pair in rows.values_list("study", "original", "rendition"):
            names[roots[study_id]] += pair
        number = rows.count()
        rows.delete()
        for study in studies:
            renditions.request(study, now)
            hooks.tell_clips_changed(study, now)
        transaction.on_commit(lambda: _discard(names))
    return number


def _discard(names: Mapping[int, Collection[str]]) -> None:
    for root, some in names.items():
        stored.discard_unnamed(some, root=root)


def _lock(clips: Collection[int]) -> list[Study]:
    """Hold the rows of these clips' studies, in one order."""
    rows = Study.objects.filter(pk__in=Clip.objects.filter(pk__in=clips).values("study"))
    return list(rows.order_by("pk").select_for_update(no_key=True))


def _restore_items(study: Study, clips: Collection[int]) -> None:
    """Restore the items whose clips are all restored."""
    version = newest(study)
    if version is None:
        return
    wanted = int(version.definition["protocol"]["ratings_wanted"])
    items = Item.objects.filter(study=study, clips__clip__in=clips).exclude(withdrawn_at=None)
    whole = list(items.exclude(clips__clip__withdrawn_at__isnull=False).values_list("pk", flat=True))
    Item.objects.filter(pk__in=whole).update(withdrawn_at=None)
    places = Pool.objects.filter(item__in=whole)
    want(places.filter(cell__role__in=TRAPS), 1)
    want(places.exclude(cell__role__in=TRAPS), wanted)


def remove_questions(*, questions: Collection[int]) -> int:
    """Delete questions of studies that were never launched, and return their number."""
    with transaction.atomic():
        rows = Question.objects.filter(pk__in=questions)
        studies = Study.objects.filter(pk__in=rows.values("study")).order_by("pk").select_for_update(no_key=True)
        if any(study.launched_at for study in studies):
            raise Conflict(_("Questions of a launched study can’t be deleted."), code="launched")
        kept = list(studies)
        number, _models = rows.delete()
        for study in kept:
            summaries.outdate(study)
    return number
