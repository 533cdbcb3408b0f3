"""Screens of several clips, from the place in the pool to the tidy rows."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from random import Random

import pytest

from core.errors import Invalid, TooEarly
from raters.models import Rating, Trial, TrialClip, Verdict
from raters.rating import batches, listening
from raters.rating.progress import as_json
from raters.simulation.simulated_sessions import simulate
from studies.models import Item, Pool
from tests import screens
from tests.world import Person, carry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


def test_a_screen_takes_one_place_and_gives_a_row_for_each_clip_rated(now: datetime) -> None:
    study = screens.make_study(now=now)
    person = Person(study, now).start()
    while not person.is_done:
        screens.rate(person)
    assert batches.validate(pk=person.filled[0], now=person.now) is True
    assert set(Pool.objects.filter(cell__study=study).values_list("taken", flat=True)) == {1}
    rows = Rating.objects.filter(study=study, trial__usable=True)
    found = Counter(rows.values_list("part", "clip__system__name", "clip__role", "code", "value"))
    assert found == {
        ("rating", "human", "reference", "excellent", 100.0): 3,
        ("rating", "alpha", "test", "fair", 40.0): 3,
        ("rating", "beta", "test", "fair", 40.0): 3,
    }
    for trial, place, clip in rows.values_list("trial_id", "place", "clip_id"):
        assert TrialClip.objects.get(trial=trial, place=place or 0).clip_id == clip


def test_clips_are_served_in_the_order_drawn_with_the_reference_first(now: datetime) -> None:
    study = screens.make_study(now=now, systems=("alpha", "beta", "gamma"), texts=6)
    orders = set()
    for seed in range(5):
        Person(study, now, rng=Random(seed)).start()
    for trial in Trial.objects.filter(session__study=study):
        served = trial.clips.order_by("place").values_list("clip__role", "clip__system__name")
        assert served[0] == ("reference", "human")
        hidden = [place for place, (role, _system) in enumerate(served) if role == "reference" and place > 0]
        assert hidden == [trial.shown["private"]["hidden"]]
        orders.add(tuple(system for _role, system in served))
    assert len(orders) > 12


def test_the_server_says_which_clips_can_have_been_heard(now: datetime) -> None:
    study = screens.make_study(now=now)
    person = Person(study, now).start()

    def heard() -> list[bool]:
        person.load()
        return [clip["heard"] for clip in as_json(person.current, study.slug)["trial"]["clips"]]

    first = person.current.trial.clips[0]
    listening.start_play(session_id=person.session.pk, key=first.key, tab=person.current.tab, now=person.now)
    person.wait(first.seconds + 1)
    assert heard() == [False] * 4
    person.fetch()
    assert heard() == [True, False, False, False]
    person.play()
    assert heard() == [True, False, False, False]
    person.wait(max(clip.seconds for clip in person.current.trial.clips) + 1)
    assert heard() == [True] * 4


def test_the_wire_tells_only_how_many_clips_there_are_and_that_the_first_is_the_reference(now: datetime) -> None:
    study = screens.make_study(now=now)
    person = Person(study, now).start()
    trial = as_json(person.current, study.slug)["trial"]
    assert trial["shown"] == {"has_reference": True, "clips": 4}
    keys = [clip["key"] for clip in trial["clips"]]
    assert len(set(keys)) == 4
    assert all(set(clip) == {"key", "url", "heard"} for clip in trial["clips"])
    # The same recording, twice, under two names.
    pks = [TrialClip.objects.get(key=key).clip_id for key in keys]
    assert pks.count(pks[0]) == 2


def test_the_page_and_its_sound_name_no_system_no_text_and_no_file(now: datetime) -> None:
    study = screens.make_study(now=now, systems=("zqone", "zqtwo"))
    person = Person(study, now).start()
    page = carry(person).get(f"/rate/{study.slug}/trial/").content.decode()
    for secret in ("zqone", "zqtwo", "text-", "Sentence number", ".wav", "private", "anchor"):
        assert secret not in page
    person.load()
    for clip in person.current.trial.clips:
        response = carry(person).get(f"/rate/{study.slug}/audio/{clip.key}")
        assert response.status_code == 200
        assert "zq" not in str(response.headers)
        assert b"".join(response).startswith(b"RIFF")


def test_without_the_explicit_reference_all_clips_are_rated(now: datetime) -> None:
    study = screens.make_study(now=now, task__explicit_reference=False)
    person = Person(study, now).start()
    assert person.current.trial.shown["public"] == {"has_reference": False, "clips": 3}
    screens.rate(person)
    assert set(Rating.objects.values_list("place", flat=True)) == {0, 1, 2}


def test_an_answer_is_taken_once_all_clips_can_have_been_heard_and_not_before(now: datetime) -> None:
    study = screens.make_study(now=now, seconds=(1.0, 2.0, 3.0))
    person = Person(study, now).start()
    person.fetch()
    answer = person.submission(answer={"ratings": screens.ratings(person)})
    clips = person.current.trial.clips
    for clip in clips[:-1]:
        listening.start_play(session_id=person.session.pk, key=clip.key, tab=person.current.tab, now=person.now)
        person.wait(clip.seconds)
    with pytest.raises(TooEarly) as refused:
        person.send(answer)
    assert refused.value.code == "not_played"
    listening.start_play(session_id=person.session.pk, key=clips[-1].key, tab=person.current.tab, now=person.now)
    with pytest.raises(TooEarly) as refused:
        person.send(answer)
    assert refused.value.retry_after == pytest.approx(clips[-1].seconds - 0.25)
    person.wait(clips[-1].seconds)
    person.send(answer)
    assert person.current.trial.position == 2


def test_whoever_switched_in_step_until_all_was_heard_is_not_refused(now: datetime) -> None:
    study = screens.make_study(now=now, seconds=(2.0,), task__switching="synchronous")
    person = Person(study, now).start()
    person.fetch()
    clips = person.current.trial.clips
    # Each is heard from 0 to 1 s, then each from 1 to 2 s.
    for _half in range(2):
        for clip in clips:
            listening.start_play(session_id=person.session.pk, key=clip.key, tab=person.current.tab, now=person.now)
            person.wait(clip.seconds / 2)
    person.send(person.submission(answer={"ratings": screens.ratings(person)}))
    assert person.current.trial.position == 2


def test_a_slider_that_was_not_moved_is_named_by_its_clip(now: datetime) -> None:
    person = Person(screens.make_study(now=now), now).start()
    screens.listen(person)
    given = screens.ratings(person)
    missing = next(iter(given))
    with pytest.raises(Invalid) as refused:
        person.send(person.submission(answer={"ratings": {key: 50 for key in given if key != missing}}))
    assert set(refused.value.problems) == {f"ratings.{missing}"}
    assert not Rating.objects.exists()


@pytest.mark.parametrize(("human", "usable"), [(90, True), (89, False)])
def test_post_screening_leaves_out_all_that_a_rater_answered_and_lets_them_go_on(
    now: datetime, human: int, usable: bool
) -> None:
    study = screens.make_study(
        now=now, texts=4, task__post_screening=True, protocol__tests_per_batch=2, protocol__batches_per_session=2
    )
    person = Person(study, now).start()
    while not person.is_done:
        screens.rate(person, human=human)
        for pk in person.filled:
            batches.validate(pk=pk, now=person.now)
    assert len(person.filled) == 2
    assert set(Trial.objects.filter(session=person.session).values_list("usable", flat=True)) == {usable}
    verdicts = Verdict.objects.filter(session=person.session, rule="hidden_reference", revoked_at=None)
    assert verdicts.exists() is not usable
    assert set(Pool.objects.filter(cell__study=study).values_list("taken", flat=True)) == {int(usable)}


def test_without_post_screening_a_low_reference_changes_nothing(now: datetime) -> None:
    study = screens.make_study(now=now)
    person = Person(study, now).start()
    while not person.is_done:
        screens.rate(person, human=10)
    batches.validate(pk=person.filled[0], now=person.now)
    assert not Verdict.objects.exists()
    assert set(Trial.objects.filter(session=person.session).values_list("usable", flat=True)) == {True}


def test_simulated_raters_fill_screens_and_tell_the_reference_from_the_systems(now: datetime) -> None:
    study = screens.make_study(now=now, texts=6)
    summary = simulate(study_id=study.pk, raters=10, seed=4, careless=0.2, now=now)
    assert summary.answers == 60
    means: dict[str, list[float]] = {}
    for system, value in Rating.objects.filter(study=study).values_list("clip__system__name", "value"):
        means.setdefault(system, []).append(value or 0.0)
    average = {system: sum(values) / len(values) for system, values in means.items()}
    assert {system: len(values) for system, values in means.items()} == {"human": 60, "alpha": 60, "beta": 60}
    assert average["human"] > max(average["alpha"], average["beta"]) + 5
    assert not Pool.objects.filter(cell__study=study, cell__simulated=False, taken__gt=0).exists()


def test_an_item_is_a_text_whatever_the_number_of_its_clips(now: datetime) -> None:
    study = screens.make_study(now=now, texts=3)
    assert Item.objects.filter(study=study).count() == 3
    assert set(Pool.objects.filter(cell__study=study).values_list("cell__system__name", flat=True)) == {""}
