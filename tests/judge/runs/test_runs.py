"""A run over a study: what is asked, what is kept, and what becomes of it when something goes wrong."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import override_settings

from analysis.metrics import queries as metrics_queries
from analysis.metrics.models import MetricSet
from core import jobs
from core.errors import Conflict
from core.files import storage
from core.jobs import DONE, FAILED, QUEUED, RUNNING
from judge.runs import run_jobs
from judge.runs.models import Judgement, JudgeRun
from studies.models import Clip, Study
from tests.judge.fake_judge import FakeJudge, digest, refusal
from tests.judge.world import clips, give, heard_study


@pytest.fixture
def study(db: None, files: Path, now: datetime) -> Study:
    return heard_study(now)


@pytest.fixture
def fake() -> FakeJudge:
    return FakeJudge()


def asked(study: Study, now: datetime, profile: str = "") -> JudgeRun:
    return run_jobs.request_run(study_id=study.pk, profile=profile, user=None, now=now)


def work(run: JudgeRun, fake: FakeJudge, now: datetime, **how: Any) -> bool:
    is_more = run_jobs.work(pk=run.pk, clock=lambda: now, judge=fake.client(tries=2), **how)
    run.refresh_from_db()
    return is_more


def scores(run: JudgeRun) -> dict[int, float]:
    assert run.metric_set_id
    return metrics_queries.values(run.metric_set_id)


def test_every_clip_gets_its_score_with_where_it_came_from(study: Study, fake: FakeJudge, now: datetime) -> None:
    run = asked(study, now)
    assert not work(run, fake, now)
    assert (run.state, run.done, run.total, run.asked) == (DONE, 10, 10, 10)
    assert scores(run) == {clip.pk: pytest.approx(fake.scores(clip.sha256)) for clip in clips(study)}
    [kept] = metrics_queries.sets(study.pk)
    assert (kept.source, kept.low, kept.high, kept.active) == ("judge", 0.0, 1.0, True)
    assert kept.name.startswith("auto-att (att, ")
    assert kept.provenance["weights_sha256"] == fake.weights
    assert {query["seconds"] for query in fake.queries} == {"0.5"}
    first = metrics_queries.details(kept.pk)[0]
    assert first.detail["audio_sha256"] == clips(study)[0].sha256
    assert first.detail["label_mass"] == 0.9
    assert first.detail["probabilities"].keys() == {"Human", "Unclear", "Machine"}


def test_the_same_sound_is_never_put_to_the_same_judge_twice(study: Study, fake: FakeJudge, now: datetime) -> None:
    same = Path(__file__).read_bytes()
    for clip in clips(study)[:3]:
        give(clip, same)
    work(asked(study, now), fake, now)
    assert len(fake.asked) == len(set(fake.asked)) == 8
    again = asked(study, now)
    work(again, fake, now)
    assert (again.state, again.asked, len(fake.asked)) == (DONE, 0, 8)
    assert len(scores(again)) == 10


@pytest.mark.parametrize("change", [{"weights": "e" * 64}, {"engine": "another"}])
def test_another_judge_is_asked_anew(study: Study, fake: FakeJudge, now: datetime, change: dict[str, str]) -> None:
    work(asked(study, now), fake, now)
    for name, value in change.items():
        setattr(fake, name, value)
    work(asked(study, now), fake, now)
    assert len(fake.asked) == 20
    assert Judgement.objects.count() == 20
    assert len({each.name for each in metrics_queries.sets(study.pk)}) == 2


def test_no_failure_is_dropped_and_final_ones_are_not_asked_about_again(
    study: Study, fake: FakeJudge, now: datetime
) -> None:
    silent, failing, gone, fine = clips(study)[:4]
    fake.faults[silent.sha256] = [refusal("silent")]
    fake.faults[failing.sha256] = [refusal("failed", 500)]
    storage.discard(gone.original)
    run = asked(study, now)
    work(run, fake, now)
    assert run.state == DONE
    assert run.metric_set_id
    found = {value.clip: value for value in metrics_queries.details(run.metric_set_id)}
    assert {pk: found[pk].detail.get("code") for pk in (silent.pk, failing.pk, gone.pk, fine.pk)} == {
        silent.pk: "silent", failing.pk: "failed", gone.pk: "missing", fine.pk: None,
    }  # fmt: skip
    assert found[silent.pk].failure == "It is silent."
    assert found[silent.pk].value is None
    assert len(found) == 10
    before = len(fake.asked)
    again = asked(study, now)
    work(again, fake, now)
    assert fake.asked[before:] == [failing.sha256]
    assert set(scores(again)) == {clip.pk for clip in clips(study)} - {silent.pk, gone.pk}


def test_withdrawn_clips_are_not_judged(study: Study, fake: FakeJudge, now: datetime) -> None:
    first = clips(study)[0]
    Clip.objects.filter(pk=first.pk).update(withdrawn_at=now)
    run = asked(study, now)
    work(run, fake, now)
    assert first.pk not in scores(run)
    assert run.total == 9


def test_a_judge_that_is_down_lets_the_run_rest_and_say_so_until_it_is_back(
    study: Study, fake: FakeJudge, now: datetime
) -> None:
    run = asked(study, now)
    fake.always = httpx.ConnectError("Connection refused")
    for turn in range(jobs.MAX_TRIES + 2):
        assert not work(run, fake, now + timedelta(minutes=turn))
        assert run.state == QUEUED
        assert "can't be reached" in run.waits_for
    assert run.queued_at is not None
    waiting = ("judge.run", run.pk)
    assert waiting not in list(jobs.due(run.queued_at))
    assert waiting in list(jobs.due(run.queued_at + timedelta(seconds=10)))
    fake.always = None
    work(run, fake, now + timedelta(hours=1))
    assert (run.state, run.waits_for, len(scores(run))) == (DONE, "", 10)


def test_what_was_answered_before_the_judge_went_away_is_kept(study: Study, fake: FakeJudge, now: datetime) -> None:
    run, late = asked(study, now), clips(study)[6]
    fake.faults[late.sha256] = [refusal("draining", 503)] * 2
    with override_settings(JUDGE_IN_FLIGHT=1):
        work(run, fake, now)
        assert (run.state, run.done, run.waits_for) == (QUEUED, 6, "It is draining.")
        work(run, fake, now)
    assert (run.state, run.done) == (DONE, 10)
    assert sorted(fake.asked) == sorted([*[clip.sha256 for clip in clips(study)], late.sha256, late.sha256])


def test_a_clip_that_a_working_judge_has_no_memory_for_is_a_failure_of_its_own(
    study: Study, fake: FakeJudge, now: datetime
) -> None:
    large, slow = clips(study)[:2]
    fake.faults[large.sha256] = [refusal("out_of_memory", 503)] * 2
    fake.faults[slow.sha256] = [httpx.ReadTimeout("")] * 2
    run = asked(study, now)
    work(run, fake, now)
    assert run.state == DONE
    assert run.metric_set_id
    codes = {
        value.clip: value.detail["code"] for value in metrics_queries.details(run.metric_set_id) if value.value is None
    }
    assert codes == {large.pk: "out_of_memory", slow.pk: "timed_out"}


def test_a_killed_worker_costs_nothing_but_its_lease(study: Study, fake: FakeJudge, now: datetime) -> None:
    run, poison = asked(study, now), clips(study)[4]

    class Killed(BaseException):
        pass

    class Dying(FakeJudge):
        def _score(self, content: bytes, query: dict[str, str]) -> httpx.Response:
            if len(self.asked) == 4:
                raise Killed
            return super()._score(content, query)

    with override_settings(JUDGE_IN_FLIGHT=1), pytest.raises(Killed):
        work(run, Dying(), now)
    run.refresh_from_db()
    assert (run.state, run.done) == (RUNNING, 4)
    assert not work(run, fake, now)
    assert fake.asked == []
    work(run, fake, now + jobs.LEASE + timedelta(seconds=1))
    assert (run.state, run.done, len(fake.asked)) == (DONE, 10, 6)
    assert poison.sha256 in fake.asked


def test_a_run_that_kills_its_worker_each_time_is_given_up(study: Study, fake: FakeJudge, now: datetime) -> None:
    run = asked(study, now)
    JudgeRun.objects.filter(pk=run.pk).update(tries=40, pauses=35)
    work(run, fake, now)
    assert (run.state, fake.asked) == (FAILED, [])
    assert "stopped each time" in run.error


def test_a_run_gives_its_worker_back_after_a_while_and_goes_on_later(
    study: Study, fake: FakeJudge, now: datetime
) -> None:
    run, ticks = asked(study, now), iter(range(10_000))

    def clock() -> datetime:
        return now + timedelta(seconds=next(ticks))

    turns = 0
    with override_settings(JUDGE_IN_FLIGHT=1):
        while run_jobs.work(pk=run.pk, clock=clock, judge=fake.client(), lasts=timedelta(seconds=12)):
            turns += 1
    run.refresh_from_db()
    assert run.state == DONE
    assert turns == run.pauses >= 2
    assert len(fake.asked) == 10


def test_no_more_clips_are_sent_at_once_than_the_settings_say(study: Study, fake: FakeJudge, now: datetime) -> None:
    with override_settings(JUDGE_IN_FLIGHT=3):
        work(asked(study, now), fake, now)
    assert 1 <= fake.most_at_once <= 3


def test_a_run_is_cancelled_while_it_waits_or_works_and_its_scores_stay(
    study: Study, fake: FakeJudge, now: datetime
) -> None:
    waiting = asked(study, now)
    run_jobs.cancel(run=waiting, now=now)
    waiting.refresh_from_db()
    assert waiting.state == FAILED
    assert not work(waiting, fake, now)
    with pytest.raises(Conflict):
        run_jobs.cancel(run=waiting, now=now)
    run = asked(study, now)
    assert run.pk != waiting.pk
    JudgeRun.objects.filter(pk=run.pk).update(state=RUNNING, lease_until=now - timedelta(seconds=1), tries=1)
    run_jobs.cancel(run=run, now=now)
    work(run, fake, now)
    assert run.state == FAILED
    assert "Cancelled" in run.error
    assert not MetricSet.objects.filter(study=study, active=True).exists()


def test_a_second_press_of_the_button_returns_the_same_run(study: Study, now: datetime) -> None:
    assert asked(study, now).pk == asked(study, now).pk
    assert asked(study, now, "another").pk != asked(study, now).pk


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda fake: setattr(fake, "token", "changed"), "EARSHOT_JUDGE_TOKEN"),
        (lambda fake: setattr(fake, "always", httpx.Response(200, text="<html>")), "is not a judge"),
    ],
)
def test_what_somebody_has_to_mend_ends_the_run_with_a_sentence(
    study: Study, fake: FakeJudge, now: datetime, spoil: Any, says: str
) -> None:
    run, client = asked(study, now), fake.client()
    spoil(fake)
    run_jobs.work(pk=run.pk, clock=lambda: now, judge=client)
    run.refresh_from_db()
    assert run.state == FAILED
    assert says in run.error


def test_without_a_judge_a_run_says_what_to_set(study: Study, now: datetime) -> None:
    run = asked(study, now)
    run_jobs.work(pk=run.pk, clock=lambda: now)
    run.refresh_from_db()
    assert run.state == FAILED
    assert "EARSHOT_JUDGE_URL" in run.error


def test_an_unknown_profile_names_those_that_there_are(study: Study, fake: FakeJudge, now: datetime) -> None:
    run = asked(study, now, "released")
    work(run, fake, now)
    assert run.error == "The judge has no profile released; it has att."


def test_two_judges_never_share_a_run(study: Study, fake: FakeJudge, now: datetime) -> None:
    run, late = asked(study, now), clips(study)[6]
    fake.faults[late.sha256] = [refusal("busy", 503)] * 2
    with override_settings(JUDGE_IN_FLIGHT=1):
        work(run, fake, now)
    fake.weights = "e" * 64
    work(run, fake, now)
    assert run.state == FAILED
    assert "The judge at this address has changed" in run.error
    mixed, other = asked(study, now), FakeJudge(weights="f" * 64)
    other.faults[late.sha256] = [httpx.Response(200, content=fake.score(late.sha256).model_dump_json())]
    work(mixed, other, now)
    assert "Two different judges" in mixed.error


def test_a_clip_in_a_language_that_the_profile_is_not_made_for_is_marked(
    study: Study, fake: FakeJudge, now: datetime
) -> None:
    chinese, english, unnamed = clips(study)[:3]
    same = give(chinese, Path(__file__).read_bytes())
    Clip.objects.filter(pk=english.pk).update(original=Clip.objects.get(pk=chinese.pk).original, sha256=same)
    Clip.objects.filter(pk=chinese.pk).update(language="zh-CN")
    Clip.objects.filter(pk=english.pk).update(language="en")
    run = asked(study, now)
    work(run, fake, now)
    assert run.metric_set_id
    found = {value.clip: value.detail["warnings"] for value in metrics_queries.details(run.metric_set_id)}
    assert (found[chinese.pk], found[english.pk], found[unnamed.pk]) == ([], ["language"], [])
    assert fake.asked.count(same) == 1


def test_what_only_ffmpeg_reads_is_sent_as_raters_hear_it_and_asked_once(
    study: Study, fake: FakeJudge, now: datetime
) -> None:
    clip = clips(study)[0]
    give(clip, b"\x00\x00\x00\x18ftypM4A " + bytes(64))
    with storage.open_file(clip.rendition) as file:
        rendition = file.read()
    run = asked(study, now)
    work(run, fake, now)
    assert run.metric_set_id
    detail = next(value.detail for value in metrics_queries.details(run.metric_set_id) if value.clip == clip.pk)
    assert detail["sent"] == "rendition"
    assert int(fake.queries[fake.asked.index(digest(rendition))]["length"]) > 44
    work(asked(study, now), fake, now)
    assert len(fake.asked) == 10
