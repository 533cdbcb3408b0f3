"""Content of the audit's page: findings, plots, medians, and the clips that differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from studies.audit import plots, queries, repairing, words
from studies.audit.findings import Found, comparable, found, thresholds
from studies.audit.outliers import Outlier, outliers
from studies.audit.plots import StripPlot
from studies.clips import queries as clips_queries
from studies.clips.models import Clip
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.audit.queries import AuditedClip
    from studies.definition.models import Study

# The page lists this many clips; the command's JSON has all.
CLIP_ROWS = 200


@dataclass(frozen=True, slots=True)
class ClipLine:
    """A row of the clip table, as text."""

    clip: int
    file: str
    system: str
    role: str
    is_measured: bool
    away: str
    problem: str
    source: str
    duration: str
    true_peak: str
    rolloff: str
    dc_offset: str
    clipped: str
    measures: list[str]

    @property
    def named_measures(self) -> list[tuple[words.Measure, str]]:
        """The measures, each with what it measures; a stored summary of an earlier release may have fewer."""
        return list(zip(words.MEASURES.values(), self.measures, strict=False))


@dataclass(frozen=True, slots=True)
class AuditOverview:
    """Summary of all clips; `bandwidth` and `level` are starting values for repairs."""

    clips: int
    missing: int
    found: list[Found]
    plots: list[StripPlot]
    # (system, the median of each measure as text), with a dash for a missing measure.
    medians: list[tuple[str, list[str]]]
    lines: list[ClipLine]
    far: int
    bandwidth: int
    level: float

    @property
    def more(self) -> int:
        return max(0, self.clips - CLIP_ROWS)

    @property
    def most_dots(self) -> int:
        """Return the largest number of dots drawn of a system; 0 if all are drawn."""
        return plots.MOST_DOTS if self.clips > plots.MOST_DOTS else 0


def overview(study: Study, _choice: str = "") -> AuditOverview:
    """Read all clips and compare them."""
    clips = queries.clips(study)
    values = plots.values_by_system(clips)
    compared = {clip.clip: comparable(clip) for clip in clips if clip.is_compared and clip.is_measured}
    away = outliers(compared, thresholds(study.definition.audit))
    listed = sorted(clips, key=lambda clip: -away[clip.clip].distance if clip.clip in away else 0.0)
    return AuditOverview(
        clips=len(clips),
        missing=sum(not clip.is_measured for clip in clips),
        found=found(study, clips),
        plots=list(plots.plots(values)),
        medians=_medians(values),
        lines=[line(clip, away.get(clip.clip)) for clip in listed[:CLIP_ROWS]],
        far=sum(each.is_far for each in away.values()),
        bandwidth=repairing.lowest_bandwidth(clips),
        level=repairing.level_for_all(clips, study.definition.audio),
    )


SUMMARY = SummaryKind("audit", AuditOverview, overview, clips_queries.all_of)


def _medians(values: Mapping[str, Mapping[str, Sequence[float]]]) -> list[tuple[str, list[str]]]:
    systems = dict.fromkeys(system for by_system in values.values() for system in by_system)
    return [
        (
            system,
            [
                words.MEASURES[name].value(median(by_system[system])) if by_system.get(system) else "–"
                for name, by_system in values.items()
            ],
        )
        for system in systems
    ]


def line(clip: AuditedClip, away: Outlier | None) -> ClipLine:
    """Return a clip's measures as text; `away` is how it differs from its system."""
    values = clip.values
    coding = words.fact_of(clip, "coding")
    source = [words.value_of("sample_rate", str(clip.sample_rate)), words.value_of("coding", coding) if coding else ""]
    source += [clip.codec if clip.bit_depth else "", words.value_of("channels", str(clip.channels))]
    return ClipLine(
        clip=clip.clip,
        file=clip.file,
        system=clip.system,
        role=str(Clip.Role(clip.role).label),
        is_measured=clip.is_measured,
        away=words.of_outlier(away) if away is not None and away.is_far else "",
        problem=queries.problem_of(clip),
        source=", ".join(filter(None, source)),
        duration=f"{values['duration']:.2f}" if values else "–",
        true_peak=f"{values['true_peak']:.1f}".replace("-", "−") if values else "–",
        rolloff=f"{values['rolloff'] / 1000:.1f}" if "rolloff" in values else "–",
        dc_offset=f"{100 * values['dc_offset']:z.2f}".replace("-", "−") if values else "–",
        clipped="–" if clip.clipped is None else f"{100 * clip.clipped:.2f}",
        measures=[words.of_value(name, values) for name in words.MEASURES],
    )
