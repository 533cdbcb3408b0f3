"""Simulated raters go through the same doors as real ones, and leave no trace among them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.errors import Invalid, NotFound, TooEarly
from raters.models import Answer, Batch, Identity, Session, Trial, TrialClip
from raters.rating import batches, trials
from raters.simulation.simulated_people import HUMAN, Person, SimulatedClip, crowd
from raters.simulation.simulated_sessions import simulate
from studies.models import Pool, Study
from tests import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(now: datetime) -> Study:
    return small(now)


def small(now: datetime, **settings: Any) -> Study:
    return world.make_study(now=now, texts=24, protocol__batches_per_session=2, seconds=2.0, **settings)


def story(study: Study) -> list[tuple[Any, ...]]:
    """Return who answered what about which clip, when, in an order of its own."""
    rows = Answer.objects.filter(trial__session__study=study).order_by(
        "trial__session__ext_session", "trial__batch__number", "trial__position"
    )
    columns = ("trial__clips__clip__file", "body", "at", "trial__session__ext_session")
    return [(*row[:3], row[3].partition("-")[2]) for row in rows.values_list(*columns)]


def test_the_same_seed_gives_the_same_answers(now: datetime) -> None:
    # 112 tests on 72 clips: most places are taken more than once, and drawn anew each time.
    first, second = small(now), small(now)
    for study in (first, second):
        simulate(study_id=study.pk, raters=8, seed=7, now=now)
    assert len(story(first)) == 160
    assert story(first) == story(second)


def test_another_seed_adds_other_people(study: Study, now: datetime) -> None:
    simulate(study_id=study.pk, raters=2, seed=1, now=now)
    before = story(study)
    simulate(study_id=study.pk, raters=2, seed=2, now=now)
    assert Session.objects.filter(study=study).values("rater").distinct().count() == 4
    assert [row for row in story(study) if row in before] == before
    assert len(story(study)) == 80


def test_the_same_seed_again_changes_nothing(study: Study, now: datetime) -> None:
    done = simulate(study_id=study.pk, raters=2, seed=1, now=now)
    before = story(study)
    again = simulate(study_id=study.pk, raters=2, seed=1, now=now + timedelta(hours=1))
    assert (done.new, again.new) == (2, 0)
    assert replace(again, new=2) == done
    assert story(study) == before


def test_every_session_is_marked_as_simulated_and_ends_complete(study: Study, now: datetime) -> None:
    summary = simulate(study_id=study.pk, raters=3, seed=1, now=now)
    sessions = Session.objects.filter(study=study)
    assert {(session.simulated, session.source, session.outcome) for session in sessions} == {
        (True, "simulated", "complete")
    }
    assert (summary.sessions, summary.answers, summary.valid + summary.invalid) == (3, 60, 6)
    assert set(Identity.objects.values_list("source", flat=True)) == {"simulated"}


def test_no_real_place_is_taken(study: Study, now: datetime) -> None:
    simulate(study_id=study.pk, raters=3, seed=1, careless=0, now=now)
    assert sum(Pool.objects.filter(cell__simulated=False).values_list("taken", flat=True)) == 0
    held = Trial.objects.filter(holds=True, pool__isnull=False)
    assert set(held.values_list("pool__cell__simulated", flat=True)) == {True}
    assert sum(Pool.objects.filter(cell__simulated=True).values_list("taken", flat=True)) == held.count() > 0


def test_careless_raters_fail_more_batches(now: datetime) -> None:
    shares = []
    for careless in (0.0, 1.0):
        summary = simulate(study_id=small(now, flawed=6, humans=8).pk, raters=8, seed=3, careless=careless, now=now)
        shares.append(summary.invalid / (summary.valid + summary.invalid))
    assert shares[0] < 0.25
    assert shares[1] > 0.5


def test_every_answer_was_given_after_its_clip_was_sent_and_could_be_heard(study: Study, now: datetime) -> None:
    simulate(study_id=study.pk, raters=3, seed=1, careless=0.5, now=now)
    for clip in TrialClip.objects.select_related("trial", "clip"):
        assert clip.plays >= 1
        assert clip.fetched_at is not None
        assert clip.trial.served_at is not None
        assert clip.play_began_at is not None
        assert clip.trial.answered_at is not None
        assert clip.trial.served_at <= clip.fetched_at <= clip.play_began_at
        assert (clip.trial.answered_at - clip.play_began_at).total_seconds() >= clip.clip.duration - 0.25


def test_who_answers_in_haste_is_refused_first(study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = 0
    real = trials.submit

    def watched(**arguments: Any) -> Any:
        nonlocal refused
        try:
            return real(**arguments)
        except TooEarly:
            refused += 1
            raise

    monkeypatch.setattr(trials, "submit", watched)
    simulate(study_id=study.pk, raters=1, seed=1, careless=1, now=now)
    assert refused == Answer.objects.count() == 20


def test_recorded_playback_takes_the_hasty_answer(now: datetime) -> None:
    study = small(now, protocol__playback="record")
    simulate(study_id=study.pk, raters=1, seed=1, careless=1, now=now)
    clip = TrialClip.objects.select_related("trial", "clip").first()
    assert clip is not None
    assert clip.trial.answered_at is not None
    assert clip.play_began_at is not None
    assert (clip.trial.answered_at - clip.play_began_at).total_seconds() < clip.clip.duration - 0.25


def test_no_clip_is_played_more_often_than_the_study_allows(now: datetime) -> None:
    simulate(study_id=small(now, protocol__max_plays=1).pk, raters=4, seed=1, now=now)
    assert set(TrialClip.objects.values_list("plays", flat=True)) == {1}


def test_an_interrupted_run_ends_like_one_that_was_not(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, broken = small(now), small(now)
    simulate(study_id=whole.pk, raters=2, seed=5, now=now)
    real = batches.validate

    def stops(**arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batches, "validate", stops)
    with pytest.raises(KeyboardInterrupt):
        simulate(study_id=broken.pk, raters=2, seed=5, now=now)
    monkeypatch.setattr(batches, "validate", real)
    simulate(study_id=broken.pk, raters=2, seed=5, now=now + timedelta(seconds=10))
    assert [row[:2] for row in story(broken)] == [row[:2] for row in story(whole)]
    assert not Batch.objects.exclude(state="done").exists()


def test_recordings_pass_for_human_flawed_clips_never_and_systems_lie_between() -> None:
    def chance(system: str, role: str) -> float:
        heard = [SimulatedClip(1, 1, 0, system, role, f"{system}/{number}") for number in range(40)]
        return sum(Person(1, 1, 0.0, False).chance(clip) for clip in heard) / 40

    assert chance("human", "test") == pytest.approx(HUMAN, abs=0.03)
    assert chance("human", "trap_human") == pytest.approx(HUMAN, abs=0.03)
    assert chance("alpha", "trap_flawed") < 0.05
    assert 0.05 < chance("alpha", "test") < 0.8
    assert chance("alpha", "test") != pytest.approx(chance("beta", "test"), abs=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_the_careless_share_is_exact(seed: int) -> None:
    for share, expected in ((0.0, 0), (0.2, 8), (0.25, 10), (1.0, 40)):
        assert sum(person.careless for person in crowd(raters=40, seed=seed, careless=share)) == expected


def test_who_a_person_is_does_not_depend_on_how_many_follow() -> None:
    assert crowd(raters=40, seed=1, careless=0.2)[:7] == crowd(raters=7, seed=1, careless=0.2)


def test_impossible_numbers_are_refused(study: Study, now: datetime) -> None:
    with pytest.raises(Invalid):
        simulate(study_id=study.pk, raters=0, seed=1, now=now)
    with pytest.raises(Invalid):
        simulate(study_id=study.pk, raters=1, seed=1, careless=1.2, now=now)


def test_a_study_that_was_not_launched_has_no_raters(now: datetime) -> None:
    with pytest.raises(NotFound):
        simulate(study_id=small(now, launch=False).pk, raters=1, seed=1, now=now)
    assert not Session.objects.exists()


def test_the_command_says_what_it_did(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("simulate_raters", study.slug, "--raters", "2", "--seed", "1", "--careless", "0.5")
    printed = capsys.readouterr().out
    assert "2 of 2 sessions simulated" in printed
    assert f"{study.slug}: 2 simulated sessions (1 careless, 2 new), 40 answers" in printed


def test_the_command_names_a_study_that_is_not_there() -> None:
    with pytest.raises(CommandError, match="no study"):
        call_command("simulate_raters", "nowhere", "--raters", "1", "--seed", "1")
