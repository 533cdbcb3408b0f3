"""A study's clips go through DNSMOS, one by one, and each one's four values are kept at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from analysis.data.jobs import TakenOver, explain
from analysis.metrics import dnsmos, queries
from analysis.metrics import sets as metrics
from analysis.metrics.models import DnsmosRun, MetricSet
from analysis.metrics.sets import Given
from core import jobs
from core.errors import Conflict, NotFound
from core.files import storage
from studies.clips import queries as clips_queries

SOURCE = "dnsmos"
INSTALL = "./run --with-dnsmos"


@transaction.atomic
def request_run(*, study_id: int, by: Any, now: datetime) -> DnsmosRun:
    """Queue the scoring; one on its way is returned instead of a second, one that failed goes on where it stopped.

    Raises `Conflict` where DNSMOS is not installed.
    """
    if not dnsmos.is_installed():
        raise Conflict(missing(), code="not_installed")
    last = DnsmosRun.objects.filter(study_id=study_id).order_by("-pk").first()
    if last is None or last.state == jobs.DONE:
        return DnsmosRun.objects.create(study_id=study_id, created_by=by, created_at=now, queued_at=now)
    if last.state == jobs.FAILED:
        again = {"state": jobs.QUEUED, "queued_at": now, "tries": 0, "error": "", "ended_at": None}
        DnsmosRun.objects.filter(pk=last.pk, state=jobs.FAILED).update(**again)
        last.refresh_from_db()
    return last


def run(*, pk: int, clock: Callable[[], datetime]) -> bool:
    """Score every clip that has no values yet; False when another worker has the row.

    A clip that can't be scored is kept with the reason and stops nothing.
    """
    job = jobs.claim(DnsmosRun, pk, clock())
    if job is None:
        return False
    try:
        if not dnsmos.is_installed():
            return jobs.finish(job, clock(), error=missing())
        sets = _sets(job, clock())
        _score(job, sets, clock)
        with transaction.atomic():
            if not jobs.finish(job, clock()):
                return False
            for each in sets.values():
                metrics.finish(set_id=each)
    except TakenOver:
        return False
    except NotFound:
        return jobs.finish(job, clock(), error=_("Its metrics were removed while it ran."))
    except Exception as error:
        jobs.finish(job, clock(), error=explain(error))
        raise
    return True


def missing() -> str:
    """Say what to do where the packages are not there."""
    return _("DNSMOS is not installed on this server. Start it with “{command}”.").format(command=INSTALL)


@transaction.atomic
def _sets(job: DnsmosRun, now: datetime) -> dict[str, int]:
    """Return {part: its metric set}, made on the first try."""
    if not job.sets or MetricSet.objects.filter(pk__in=job.sets.values()).count() < len(dnsmos.PARTS):
        sets = {
            part: metrics.create_set(
                study_id=job.study_id,
                name=name,
                source=SOURCE,
                low=dnsmos.LOW,
                high=dnsmos.HIGH,
                provenance=dnsmos.provenance(),
                by=job.created_by,
                now=now,
                active=False,
            ).pk
            for part, name in dnsmos.PARTS.items()
        }
        DnsmosRun.objects.filter(pk=job.pk).update(sets=sets)
        job.sets = sets
    return dict(job.sets)


def _score(job: DnsmosRun, sets: dict[str, int], clock: Callable[[], datetime]) -> None:
    clips = clips_queries.recordings(job.study_id)
    # A clip's four values are stored together, so that any of the sets knows how far the last try came.
    known = {value.clip for value in queries.details(sets["ovrl"])}
    for number, clip in enumerate(clips, start=1):
        if clip.clip in known:
            continue
        result = _said(clip)
        with transaction.atomic():
            if not jobs.renew(job, clock(), done=number, total=len(clips)):
                raise TakenOver
            for part, pk in sets.items():
                clip_value = (
                    Given(clip.clip, result[part]) if isinstance(result, dict) else Given(clip.clip, None, result)
                )
                metrics.put(set_id=pk, values=[clip_value])


def _said(clip: clips_queries.Recording) -> dict[str, float] | str:
    """Return a clip's scores, or why it has none."""
    try:
        with storage.open_file(clip.rendition) as file:
            return dnsmos.score(BytesIO(file.read()))
    except dnsmos.Unscored as error:
        return str(error)
    except FileNotFoundError:
        return _("Its file is not in the store.")
