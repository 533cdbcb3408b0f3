"""Queries for runs, their failures and scores, and the judge's data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from analysis.metrics import queries as metrics_queries
from core.errors import NotFound
from judge.runs.advice import ADVICE, OTHER
from judge.runs.models import JudgeRun
from judge.schemas import TrainingRecord
from studies.clips.queries import all_of, recordings
from studies.summaries.services import SummaryKind

if TYPE_CHECKING:
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class ClipFailed:
    """A clip without a score, with the reason and advice."""

    clip: int
    file: str
    system: str
    code: str
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Results of a run so far: numbers, some failures, and clips by warning."""

    scored: int
    failed: int
    failures: Sequence[ClipFailed]
    warnings: Sequence[tuple[str, int]]
    # Median label mass; near 0, the model preferred other answers than the labels.
    label_mass: float | None
    low_mass: int


def runs(study_id: int, limit: int = 20, *, after: int | None = None) -> Sequence[JudgeRun]:
    """Return a study's runs, newest first, starting after the run `after`."""
    rows = JudgeRun.objects.filter(study_id=study_id).select_related("created_by", "metric_set")
    return list((rows.filter(pk__lt=after) if after is not None else rows)[:limit])


def run(study_id: int, pk: int) -> JudgeRun:
    """Return one run of this study; raises `NotFound`."""
    row = JudgeRun.objects.filter(study_id=study_id, pk=pk).select_related("created_by", "metric_set").first()
    if row is None:
        raise NotFound("There is no such run of this study.")
    return row


def outcome(run: JudgeRun, most: int | None = None) -> RunOutcome:
    """Return a run's results with at most `most` failures; about 1 KB of memory per clip."""
    if run.metric_set_id is None:
        return RunOutcome(0, 0, [], [], None, 0)
    clips = {clip.clip: clip for clip in recordings(run.study_id, withdrawn=True)}
    values = metrics_queries.details(run.metric_set_id)
    failures = [
        ClipFailed(value.clip, clips[value.clip].file, clips[value.clip].system, code, value.failure, advice(code))
        for value in values
        if value.value is None and value.clip in clips
        for code in [str(value.detail.get("code", ""))]
    ]
    warnings = Counter(warning for value in values for warning in value.detail.get("warnings", ()))
    masses = sorted(float(value.detail["label_mass"]) for value in values if "label_mass" in value.detail)
    return RunOutcome(
        len(values) - len(failures),
        len(failures),
        sorted(failures, key=lambda failure: (failure.code, failure.file))[:most],
        warnings.most_common(),
        masses[len(masses) // 2] if masses else None,
        warnings["low_label_mass"],
    )


# Failures that the page lists.
LISTED = 200


def _summarized(study: Study, choice: str) -> RunOutcome:
    return outcome(run(study.pk, int(choice)), LISTED)


# `choice` is the run's key.
SUMMARY = SummaryKind("judge_run", RunOutcome, _summarized, all_of)


def advice(code: str) -> str:
    return str(ADVICE.get(code, OTHER))


def trained_on(study_id: int, training: TrainingRecord | None) -> int:
    """Count a study's clips in a judge's training data."""
    seen: Collection[str] = frozenset(training.clips) if training else frozenset()
    return sum(clip.sha256 in seen for clip in recordings(study_id)) if seen else 0


def origin_rows(origin: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Return the parts of an origin shown to researchers."""
    names = ("profile", "profile_sha256", "weights_sha256", "adapter_sha256", "engine", "dtype")
    return [(name, str(origin[name])) for name in names if origin.get(name)]


class ClipResult(NamedTuple):
    """One clip's score, or the judge's error code and message."""

    clip: int
    file: str
    value: float | None
    error: str
    message: str
    warnings: Sequence[str]


class RunCounts(NamedTuple):
    """Numbers of clips scored and refused in a run."""

    scored: int
    failed: int


def scores(run: JudgeRun, *, failed: bool = False, after: int | None = None, limit: int) -> Sequence[ClipResult]:
    """Return scores by clip, starting after the clip `after`; with `failed`, only clips without one. One SELECT."""
    if run.metric_set_id is None:
        return []
    rows = metrics_queries.of_set(run.metric_set_id).order_by("clip_id")
    if failed:
        rows = rows.filter(value=None)
    if after is not None:
        rows = rows.filter(clip_id__gt=after)
    return [
        ClipResult(clip, file, value, str(detail.get("code", "")), message, detail.get("warnings", []))
        for clip, file, value, message, detail in rows.values_list(
            "clip_id", "clip__file", "value", "failure", "detail"
        )[:limit]
    ]


def run_counts(run: JudgeRun) -> RunCounts:
    return RunCounts(run.metric_set.scored, run.metric_set.failed) if run.metric_set else RunCounts(0, 0)
