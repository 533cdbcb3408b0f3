"""DNSMOS: Microsoft's estimate of how a listener would rate speech after noise suppression, on the processor.

The package `speechmos` brings the models. It is optional, and only workers load it. A run scores a study's clips one
by one, and stores each one's four values at once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from io import BytesIO
from typing import IO, Any

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from analysis.metrics import queries
from analysis.metrics import sets as metrics
from analysis.metrics.models import DnsmosRun, MetricSet
from analysis.metrics.sets import Given
from core import jobs
from core.errors import Conflict, NotFound
from core.files import storage
from core.jobs import TakenOver, explain
from studies.clips import queries as clips_queries

# In the order people look at them: overall, speech, background, and the older model of ITU-T P.808.
PARTS = {"ovrl": "DNSMOS OVRL", "sig": "DNSMOS SIG", "bak": "DNSMOS BAK", "p808": "DNSMOS P.808"}
LOW, HIGH = 1.0, 5.0
RATE = 16_000
# Below this the package pads by repeating almost nothing; an empty clip it pads for ever.
LEAST_SECONDS = 0.1
LONGEST_SECONDS = 600.0
PACKAGES = ("speechmos", "librosa", "onnxruntime", "requests")
SOURCE = "dnsmos"
INSTALL = "./run --with-dnsmos"


class Unscored(Exception):
    """This clip gets no score; the message says why."""


def is_installed() -> bool:
    """Say whether everything that scoring needs is there, without loading it."""
    return all(find_spec(name) is not None for name in PACKAGES)


def provenance() -> dict[str, Any]:
    """Return what scores depend on besides the clip."""
    versions = {}
    for name in PACKAGES[:3]:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "?"
    return {"model": "DNSMOS (sig_bak_ovr.onnx, model_v8.onnx)", "audio": "as raters hear it, mono, 16 kHz", **versions}


def score(file: IO[bytes]) -> dict[str, float]:
    """Return each part's score of a WAV file, about 1 to 5; raises `Unscored`. The first call takes some seconds more.

    A clip shorter than 9 s is repeated until it is as long; a longer one gets the mean over its windows.
    """
    sound = model_input(file)
    from speechmos import dnsmos

    output = dnsmos.run(sound, RATE)
    scores = {part: float(output[f"{part}_mos"]) for part in PARTS}
    if not all(np.isfinite(list(scores.values()))):
        raise Unscored("The model gave no number.")
    return scores


def model_input(file: IO[bytes]) -> NDArray[np.float32]:
    """Return a WAV file's sound as the model takes it: (n,) at 16 kHz within ±1; raises `Unscored`."""
    import soundfile

    from studies.imports.ingest.rendition import resampled

    try:
        samples, rate = soundfile.read(file, dtype="float64", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError) as error:
        raise Unscored("The file can't be read as sound.") from error
    seconds = len(samples) / rate
    if seconds < LEAST_SECONDS:
        raise Unscored(f"The clip is shorter than {LEAST_SECONDS} s.")
    if seconds > LONGEST_SECONDS:
        raise Unscored(f"The clip is longer than {LONGEST_SECONDS:.0f} s.")
    mono = samples.mean(axis=1, keepdims=True)
    if not np.isfinite(mono).all():
        raise Unscored("The clip contains samples that are not numbers.")
    if not mono.any():
        raise Unscored("The clip is silent.")
    return np.clip(resampled(mono, rate, RATE)[:, 0], -1.0, 1.0).astype(np.float32)


@transaction.atomic
def request_run(*, study_id: int, by: Any, now: datetime) -> DnsmosRun:
    """Queue the scoring; one on its way is returned instead of a second, one that failed goes on where it stopped.

    Raises `Conflict` where DNSMOS is not installed.
    """
    if not is_installed():
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
        if not is_installed():
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
    if not job.sets or MetricSet.objects.filter(pk__in=job.sets.values()).count() < len(PARTS):
        sets = {
            part: metrics.create_set(
                study_id=job.study_id,
                name=name,
                source=SOURCE,
                low=LOW,
                high=HIGH,
                provenance=provenance(),
                by=job.created_by,
                now=now,
                active=False,
            ).pk
            for part, name in PARTS.items()
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
            return score(BytesIO(file.read()))
    except Unscored as error:
        return str(error)
    except FileNotFoundError:
        return _("Its file is not in the store.")
