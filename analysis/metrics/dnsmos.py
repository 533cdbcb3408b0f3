"""DNSMOS: Microsoft's estimate of how a listener would rate noise-suppressed speech; runs on the CPU.

The optional package `speechmos` has the models; only workers load it. A run scores a study's clips one by one, and
stores each one's four values at once.
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
from core.paths import START
from studies.clips import queries as clips_queries

# In the usual reading order: overall, speech, background, and the older model of ITU-T P.808.
PARTS = {"ovrl": "DNSMOS OVRL", "sig": "DNSMOS SIG", "bak": "DNSMOS BAK", "p808": "DNSMOS P.808"}
LOW, HIGH = 1.0, 5.0
RATE = 16_000
# The package pads shorter clips with almost nothing but repeats, and loops forever on an empty one.
LEAST_SECONDS = 0.1
LONGEST_SECONDS = 600.0
PACKAGES = ("speechmos", "librosa", "onnxruntime", "requests")
SOURCE = "dnsmos"
INSTALL = f"{START} --with-dnsmos"


class Unscored(Exception):
    """The clip can't be scored; the message says why."""


def is_installed() -> bool:
    """True if all packages for scoring are installed; loads none of them."""
    return all(find_spec(name) is not None for name in PACKAGES)


def provenance() -> dict[str, Any]:
    """Return the models and versions that scores depend on."""
    versions = {}
    for name in PACKAGES[:3]:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "?"
    return {"model": "DNSMOS (sig_bak_ovr.onnx, model_v8.onnx)", "audio": "as raters hear it, mono, 16 kHz", **versions}


def score(file: IO[bytes]) -> dict[str, float]:
    """Return each part's score of a WAV file, about 1 to 5; raises `Unscored`. The first call takes a few seconds more.

    A clip shorter than 9 s is repeated to that length; a longer one gets the mean over its windows.
    """
    sound = model_input(file)
    from speechmos import dnsmos

    output = dnsmos.run(sound, RATE)
    scores = {part: float(output[f"{part}_mos"]) for part in PARTS}
    if not all(np.isfinite(list(scores.values()))):
        raise Unscored("The model gave no number.")
    return scores


def model_input(file: IO[bytes]) -> NDArray[np.float32]:
    """Return a WAV file's samples as model input: (n,) at 16 kHz within ±1; raises `Unscored`."""
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
    """Queue the scoring. An unfinished run is returned instead of a second; a failed one continues where it stopped.

    Raises `Conflict` if DNSMOS is not installed.
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
    """Score every clip without values; False if another worker has the row.

    A clip that can't be scored is stored with the reason, and the run continues.
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
    """Return the instruction for a server without the packages."""
    return _("DNSMOS is not installed on this server. Start it with “{command}”.").format(command=INSTALL)


@transaction.atomic
def _sets(job: DnsmosRun, now: datetime) -> dict[str, int]:
    """Return {part: key of its metric set}; created by the first try, and again after one was deleted."""
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
    # A clip's four values are stored together, so any of the sets shows how far the last try got.
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
    try:
        with storage.open_file(clip.rendition) as file:
            return score(BytesIO(file.read()))
    except Unscored as error:
        return str(error)
    except FileNotFoundError:
        return _("Its file is not in the store.")
