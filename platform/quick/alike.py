"""Are the folders alike in all but what is compared? Loudness is matched; other differences are said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import soundfile

from core import clock
from core.errors import Invalid
from quick.request import Request
from quick.wording import number
from studies.audit import measuring, queries, repairing
from studies.audit.findings import AuditFinding, findings
from studies.clips import tables as clips_tables
from studies.imports import requests

if TYPE_CHECKING:
    from studies.definition.models import Study

# Measures and facts of sources by which a folder can be recognised.
KINDS = {
    "loudness": "loudness",
    "sample_rate": "sample rate",
    "bandwidth": "bandwidth",
    "silence_before": "silence at the start",
    "silence_after": "silence at the end",
    "noise_before": "noise at the start",
    "noise_after": "noise at the end",
    "pauses": "level in pauses",
    "channels": "number of channels",
    "coding": "bit depth or codec",
}  # fmt: skip

# Repairs that can be asked for, by their setting.
REPAIRED = {
    "edges": "All clips have {value:g} s of silence at the start and the end (--trim).",
    "band": "The bandwidth of all clips is limited to {value:g} Hz (--common-band).",
}


def has_same_sound(row: Sequence[Path]) -> bool:
    """Return whether two files of a row have the same bytes, or the same samples at the same rate."""
    return any(_is_same(one, other) for one, other in combinations(row, 2))


def _is_same(one: Path, other: Path) -> bool:
    if one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes():
        return True
    try:
        (first, rate), (second, other_rate) = (soundfile.read(path, always_2d=True) for path in (one, other))
    except (soundfile.SoundFileError, RuntimeError):
        return False
    return bool(rate == other_rate and first.shape == second.shape and np.array_equal(first, second))


def clips_of(study: Study) -> list[Mapping[str, Any]]:
    return list(clips_tables.table(study.pk))


def repair(study: Study, request: Request) -> None:
    """Trim edges and limit the band of all clips alike, where asked."""
    measuring.measure_now(study=study)
    kinds = [kind for kind, is_asked in (("edges", request.trim), ("band", request.common_band)) if is_asked]
    if not kinds:
        return
    clips, audio = queries.clips(study), study.definition.audio
    values = {kind: repairing.proposed(kind, clips, audio) for kind in kinds}
    job = repairing.apply(study=study, values=values, user=None, now=clock.now())
    if job is not None:
        requests.run_import(pk=job.pk)
        job.refresh_from_db()
        if job.error:
            raise Invalid(job.error)
    measuring.measure_now(study=study)


def examine(study: Study, say: Callable[[str], object]) -> None:
    """Say repairs, gains and kinds of differences, without names; raise `Invalid` if a clip is unfit."""
    study.refresh_from_db()
    for kind, value in study.definition.audio.repairs.items():
        say(REPAIRED[kind].format(value=value))
    gains = [clip["gain"] for clip in clips_of(study)]
    loudness = study.definition.audio.loudness
    if loudness is None:
        say("The loudness is not matched (--as-is).")
    else:
        low, high = number(min(gains), 1, sign="+"), number(max(gains), 1, sign="+")
        say(f"The loudness is matched at {number(loudness, 0)} LUFS, with gains from {low} to {high} dB.")
    results = findings(study, queries.clips(study))
    if blocking := [finding for finding in results if finding.is_blocking]:
        raise Invalid(f"{blocking[0].text} {blocking[0].why}")
    if kinds := dict.fromkeys(KINDS[finding.kind] for finding in results if finding.kind in KINDS):
        say(f"Warning: listeners may recognise a folder by these differences: {', '.join(kinds)}.")


def differences(study: Study) -> list[AuditFinding]:
    """Return the differences by which listeners could recognise a folder, with its name."""
    return [finding for finding in findings(study, queries.clips(study)) if finding.kind in KINDS]
