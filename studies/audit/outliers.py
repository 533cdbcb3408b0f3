"""Find the clips that differ most from their system, to listen to first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from studies.audit.comparing import SystemClip

# Distance from the system's median, in thresholds; single clips vary more than means.
FAR = 3.0


@dataclass(frozen=True, slots=True)
class Outlier:
    """The measure in which a clip is farthest from its system's median, and the difference in the measure's unit."""

    measure: str
    by: float
    # In thresholds.
    distance: float

    @property
    def is_far(self) -> bool:
        return self.distance >= FAR


def outliers(clips: Mapping[int, SystemClip], thresholds: Mapping[str, float]) -> dict[int, Outlier]:
    """Return for each clip, by key, the measure in which it is farthest from its system, counted in thresholds.

    Clips without any of these measures are left out.
    """
    medians = _medians(clips.values(), thresholds)
    found = {}
    for key, clip in clips.items():
        away = [
            Outlier(name, by := clip.values[name] - medians[clip.system, name], abs(by) / threshold)
            for name, threshold in thresholds.items()
            if name in clip.values
        ]
        if away:
            found[key] = max(away, key=lambda each: each.distance)
    return found


def _medians(clips: Iterable[SystemClip], thresholds: Mapping[str, float]) -> dict[tuple[str, str], float]:
    values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for clip in clips:
        for name in thresholds:
            if name in clip.values:
                values[clip.system, name].append(clip.values[name])
    return {key: median(each) for key, each in values.items()}
