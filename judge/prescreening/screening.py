"""Pre-screening by a metric: scores of systems, doubtful traps, and clips to listen to first.

Intervals are computed without SciPy, which loads too slowly for pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any

from django.utils.translation import gettext as _

from analysis.metrics import queries as metrics_queries
from analysis.metrics.models import MetricSet
from analysis.metrics.queries import Value
from judge.runs.queries import advice
from studies.clips.queries import Recording, recordings

# With fewer clips, a system has a mean but no interval (rule D4).
LEAST_CLIPS = 5
# Clips this many standard deviations from their system's mean are listed, in systems with this many clips.
FAR, LEAST_FOR_FAR = 2.5, 8
HALF = 0.5
TRAPS = ("trap_flawed", "trap_human")
LISTEN = 20


def interval(values: Sequence[float], low: float, high: float, *, level: float = 0.95) -> tuple[float, float] | None:
    """Return the interval of the mean of `values` (n,), one per clip, from Student's t with n − 1 degrees of freedom.

    Limited to the scale; None below five clips, or if all values are equal.
    """
    if len(values) < LEAST_CLIPS or min(values) == max(values):
        return None
    half = student(level, len(values) - 1) * stdev(values) / sqrt(len(values))
    mean = fmean(values)
    return max(low, mean - half), min(high, mean + half)


def student(level: float, freedom: int) -> float:
    """Return the two-sided quantile of Student's t, by expansion of the normal quantile: error < 0.01 for ν ≥ 4.

    Abramowitz and Stegun, 26.7.5.
    """
    x = NormalDist().inv_cdf(0.5 + level / 2)
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + sum(term / float(freedom**power) for power, term in enumerate(terms, 1))


def usual(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of values (n,) of a system outside which clips are listed."""
    if len(values) < LEAST_FOR_FAR or min(values) == max(values):
        return -float("inf"), float("inf")
    mean, far = fmean(values), FAR * stdev(values)
    return mean - far, mean + far


@dataclass(frozen=True, slots=True)
class ScreenedClip:
    """A clip with its value; `likeness` is the value on a scale from 0 to 1, if the metric has a range."""

    recording: Recording
    value: float | None
    likeness: float | None
    failure: str
    detail: Mapping[str, Any]

    @property
    def mass_is_small(self) -> bool:
        return "low_label_mass" in self.detail.get("warnings", ())


@dataclass(frozen=True, slots=True)
class SystemScore:
    """Score of a system's test clips; `low` and `high` bound the mean, if there are enough clips."""

    name: str
    clips: int
    mean: float
    likeness: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Hint:
    """A clip worth listening to, with the reason."""

    clip: ScreenedClip
    reason: str


@dataclass(frozen=True, slots=True)
class PrescreeningResult:
    """Pre-screening of a study's active clips by one metric."""

    systems: Sequence[SystemScore]
    doubtful: Sequence[Hint]
    listen: Sequence[Hint]
    failed: int
    missing: int
    low_mass: int


def screening(study_id: int, metric: MetricSet) -> PrescreeningResult:
    """Return the pre-screening by a metric; two SELECTs, about 2 KB of memory per clip."""
    clips, missing = screened(study_id, metric)
    tests: defaultdict[str, list[ScreenedClip]] = defaultdict(list)
    for clip in clips:
        if clip.recording.role == "test" and clip.value is not None:
            tests[clip.recording.system].append(clip)
    doubtful = [hint for clip in clips if (hint := _doubted(clip))]
    return PrescreeningResult(
        sorted((_system(metric, name, some) for name, some in tests.items()), key=lambda row: (-row.mean, row.name)),
        doubtful,
        _listen(clips, tests, doubtful)[:LISTEN],
        sum(clip.value is None for clip in clips),
        missing,
        sum(clip.mass_is_small for clip in clips),
    )


def screened(study_id: int, metric: MetricSet) -> tuple[list[ScreenedClip], int]:
    """Return the active clips with an entry in the metric, and the number of those without."""
    values = {value.clip: value for value in metrics_queries.details(metric.pk)}
    recordings_in = recordings(study_id)
    clips = [_screened(clip, values[clip.clip], metric) for clip in recordings_in if clip.clip in values]
    return clips, len(recordings_in) - len(clips)


def likeness(metric: MetricSet, value: float) -> float | None:
    """Return a value on a scale from 0 to 1, higher is better; None if the metric has no range."""
    if metric.low is None or metric.high is None:
        return None
    is_higher = metric.direction == MetricSet.Direction.HIGHER
    above = value - metric.low if is_higher else metric.high - value
    return min(1.0, max(0.0, above / (metric.high - metric.low)))


def _screened(clip: Recording, value: Value, metric: MetricSet) -> ScreenedClip:
    like = None if value.value is None else likeness(metric, value.value)
    return ScreenedClip(clip, value.value, like, value.failure, value.detail)


def _system(metric: MetricSet, name: str, clips: Sequence[ScreenedClip]) -> SystemScore:
    values = [clip.value for clip in clips if clip.value is not None]
    low = -float("inf") if metric.low is None else metric.low
    high = float("inf") if metric.high is None else metric.high
    mean = fmean(values)
    ends = interval(values, low, high)
    return SystemScore(name, len(values), mean, likeness(metric, mean), *(ends or (None, None)))


def _doubted(clip: ScreenedClip) -> Hint | None:
    """Return a trap that the metric rates as the opposite of its role."""
    if clip.likeness is None:
        return None
    if clip.recording.role == "trap_flawed" and clip.likeness >= HALF:
        return Hint(clip, _("A flawed trap that sounds human to the machine: is it flawed enough?"))
    if clip.recording.role == "trap_human" and clip.likeness < HALF:
        return Hint(clip, _("A human trap that sounds like a machine to the machine: is the recording clean?"))
    return None


def _listen(
    clips: Sequence[ScreenedClip], tests: Mapping[str, Sequence[ScreenedClip]], doubtful: Sequence[Hint]
) -> list[Hint]:
    """Return the clips to listen to first, most urgent first; each once, with its first reason."""
    ends = {name: usual([clip.value for clip in some if clip.value is not None]) for name, some in tests.items()}
    hints = [
        Hint(clip, f"{clip.failure} {advice(str(clip.detail.get('code', '')))}") for clip in clips if clip.value is None
    ]
    hints += doubtful
    hints += [
        Hint(clip, _("A human recording that sounds like a machine to the machine."))
        for clip in tests.get("human", ())
        if clip.likeness is not None and clip.likeness < HALF
    ]
    hints += [
        Hint(clip, _("The judge’s answer was mostly none of the labels.")) for clip in clips if clip.mass_is_small
    ]
    hints += [
        Hint(clip, _("Far from the other clips of its system."))
        for name, some in tests.items()
        for clip in some
        if clip.value is not None and not ends[name][0] < clip.value < ends[name][1]
    ]
    first: dict[int, Hint] = {}
    for hint in hints:
        first.setdefault(hint.clip.recording.clip, hint)
    return list(first.values())
