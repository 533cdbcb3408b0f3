"""Run jobs of the judge: request, work in slices of a minute, cancel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from analysis.metrics import queries as metrics_queries
from analysis.metrics import sets
from analysis.metrics.sets import Given
from core import jobs
from core.errors import Conflict, DomainError
from core.jobs import TakenOver, explain
from judge.client import configured
from judge.client.contract import JudgeClient
from judge.problems import Misconfigured, Unavailable
from judge.runs import judgements
from judge.runs.judgements import audio_sha256, judge_sha256, origin_of
from judge.runs.models import JudgeRun
from judge.runs.parallel_scoring import JudgeAnswer, ParallelScoring
from judge.schemas import ModelInfo, Origin, ProfileInfo
from studies.clips.queries import Recording, recordings
from studies.summaries import services as summaries

Clock = Callable[[], datetime]
# A run then releases its worker, so that other jobs get a turn.
SLICE = timedelta(seconds=60)
# Wait after the judge didn't answer.
REST = timedelta(seconds=30)
METRIC = "auto-att"


@transaction.atomic
def request_run(*, study_id: int, profile: str, user: Any, now: datetime) -> JudgeRun:
    """Queue a run; an unfinished run of the same study and profile is returned instead."""
    waiting = JudgeRun.objects.filter(
        study_id=study_id, profile=profile, cancelled_at=None, state__in=[jobs.QUEUED, jobs.RUNNING]
    ).first()
    return waiting or JudgeRun.objects.create(
        study_id=study_id, profile=profile, created_by=user, created_at=now, queued_at=now
    )


@transaction.atomic
def cancel(*, run: JudgeRun, now: datetime) -> None:
    """Cancel a run; its scores are kept for the next one. Raises `Conflict` if it has ended."""
    rows = JudgeRun.objects.filter(pk=run.pk)
    if not rows.filter(state__in=[jobs.QUEUED, jobs.RUNNING]).update(cancelled_at=now):
        raise Conflict(_("This run has already ended."), code="over")
    rows.filter(state=jobs.QUEUED).update(state=jobs.FAILED, ended_at=now, error=_cancelled_message(), waits_for="")


def work(*, pk: int, clock: Clock, judge: JudgeClient | None = None, lasts: timedelta = SLICE) -> bool:
    """Work on a run for up to `lasts`; return True if it should continue at once.

    If the judge doesn't answer, the run waits; if it is misconfigured, the run ends with a message. If the worker is
    killed, only its lease is left: all answers are stored as they arrive.
    """
    run = jobs.claim(JudgeRun, pk, clock())
    if run is None:
        return False
    if run.tries - run.pauses > jobs.MAX_TRIES:
        jobs.finish(run, clock(), error=_("The worker stopped each time it tried this."))
        return False
    client = judge
    try:
        client = judge or configured.judge()
        return _RunSlice(run, client, clock, clock() + lasts).work()
    except TakenOver:
        return False
    except Unavailable as trouble:
        _release(run, clock() + REST, trouble.message)
        return False
    except (Misconfigured, DomainError) as trouble:
        jobs.finish(run, clock(), error=str(trouble), waits_for="")
        return False
    except Exception as error:
        jobs.finish(run, clock(), error=explain(error), waits_for="")
        raise
    finally:
        if judge is None and client is not None:
            client.close()


def _release(run: JudgeRun, at: datetime, waits_for: str = "") -> bool:
    """Requeue a run without counting a failure."""
    rows = JudgeRun.objects.filter(pk=run.pk, state=jobs.RUNNING, tries=run.tries)
    return bool(
        rows.update(state=jobs.QUEUED, queued_at=at, lease_until=None, pauses=F("pauses") + 1, waits_for=waits_for)
    )


def _cancelled_message() -> str:
    return _("Cancelled. What was scored until then is kept, and the next run won’t ask for it again.")


class _RunSlice:
    """One slice of a run."""

    def __init__(self, run: JudgeRun, judge: JudgeClient, clock: Clock, ends: datetime) -> None:
        self.run, self.judge, self.clock, self.ends = run, judge, clock, ends
        self.done = self.total = 0

    def work(self) -> bool:
        info = self.judge.info()
        self.origin = self._begin(info)
        self.key = judge_sha256(self.origin)
        profile = info.profile(self.origin.profile)
        assert profile
        self.profile: ProfileInfo = profile
        assert self.run.metric_set_id
        self.set_id = self.run.metric_set_id
        there = {value.clip for value in metrics_queries.details(self.set_id)}
        clips = recordings(self.run.study_id)
        remaining = [clip for clip in clips if clip.clip not in there]
        self.done, self.total = len(clips) - len(remaining), len(clips)
        self._renew()
        remaining = self._without_known(remaining)
        trouble = self._ask(remaining)
        if trouble is not None:
            raise trouble
        if self.done < self.total:
            return _release(self.run, self.clock())
        self._finish()
        return False

    def _begin(self, info: ModelInfo) -> Origin:
        """Return the judge's origin; create the metric in the first slice. Raises `Misconfigured` after a change."""
        origin = origin_of(info, self.run.profile)
        if self.run.origin and judge_sha256(Origin(**self.run.origin)) != judge_sha256(origin):
            raise Misconfigured(
                _("The judge at this address has changed since this run started. Start a new run to use the new one.")
            )
        if self.run.metric_set_id is None:
            fields = origin.model_dump(mode="json")
            training = {"training": info.training.model_dump(mode="json")} if info.training else {}
            with transaction.atomic():
                created = sets.create_set(
                    study_id=self.run.study_id,
                    name=f"{METRIC} ({origin.profile}, {judge_sha256(origin)[:8]})",
                    source="judge",
                    low=0.0,
                    high=1.0,
                    provenance={**fields, "judge_sha256": judge_sha256(origin), "run": self.run.pk, **training},
                    by=self.run.created_by,
                    now=self.clock(),
                    active=False,
                )
                mine = JudgeRun.objects.filter(pk=self.run.pk, state=jobs.RUNNING, tries=self.run.tries)
                if not mine.update(metric_set=created, origin=fields):
                    raise TakenOver
            self.run.metric_set_id = created.pk
        return origin

    def _without_known(self, remaining: Sequence[Recording]) -> list[Recording]:
        """Store known judgements of the same sounds; return the other recordings."""
        known = judgements.known_judgements(self.key, remaining)
        ready = [judgements.metric_value(each.recording, each.judgement, self.profile) for each in known.values()]
        for start in range(0, len(ready), judgements.AT_ONCE):
            self._store(ready[start : start + judgements.AT_ONCE])
        return [clip for clip in remaining if clip.clip not in known]

    def _ask(self, remaining: Iterable[Recording]) -> Unavailable | Misconfigured | None:
        """Score each different sound once, and store the answer for all clips with it."""
        alike: defaultdict[str, list[Recording]] = defaultdict(list)
        for clip in remaining:
            alike[audio_sha256(clip)].append(clip)
        asking = ParallelScoring(
            self.judge, self.origin.profile, settings.JUDGE_IN_FLIGHT, goes_on=lambda: self.clock() < self.ends
        )
        with closing(asking.answers([clips[0] for clips in alike.values()])) as coming:
            for answers in coming:
                self._keep(answers, alike)
        return asking.trouble

    def _keep(self, answers: Sequence[JudgeAnswer], alike: dict[str, list[Recording]]) -> None:
        for answer in answers:
            if answer.score and judge_sha256(answer.score.model) != self.key:
                raise Misconfigured(_("Two different judges answer at this address; they can’t share a run."))
        with transaction.atomic():
            rows = judgements.store(self.key, answers, self.clock())
            JudgeRun.objects.filter(pk=self.run.pk).update(asked=F("asked") + len(rows), waits_for="")
            self._store(
                [
                    judgements.metric_value(clip, row, self.profile)
                    for answer, row in zip(answers, rows, strict=True)
                    for clip in alike[audio_sha256(answer.recording)]
                ]
            )

    def _store(self, values: Sequence[Given]) -> None:
        """Store the values of clips and renew the lease; raises `TakenOver`."""
        with transaction.atomic():
            self.done += len(values)
            self._renew()
            if values:
                sets.put(set_id=self.set_id, values=values)

    def _renew(self) -> None:
        if not jobs.renew(self.run, self.clock(), done=self.done, total=self.total):
            raise TakenOver
        if JudgeRun.objects.filter(pk=self.run.pk).exclude(cancelled_at=None).exists():
            raise Conflict(_cancelled_message(), code="cancelled")

    def _finish(self) -> None:
        with transaction.atomic():
            if not jobs.finish(self.run, self.clock(), done=self.done, total=self.total, waits_for=""):
                raise TakenOver
            sets.finish(set_id=self.set_id)
            # The run page's summary is outdated now.
            summaries.outdate(self.run.study)
