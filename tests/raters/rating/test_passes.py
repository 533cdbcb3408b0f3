"""Separate passes: all clips of a session for the first scale, then all again for the next."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection

from analysis.data.models import Simulated
from analysis.live import figures
from core.errors import Invalid
from raters.models import Batch, Rating, Trial
from raters.rating import batches, finishing, monitor, ratings, skipping
from raters.sessions.consent_facts import consent_facts
from studies.definition import facts
from studies.launch.checks import findings
from studies.models import Pool, Study
from studies.pool import session_time
from tests import kinds
from tests.world import Person, carry

pytestmark = pytest.mark.django_db
TRAPS = {"protocol__flawed_traps": 1, "protocol__human_traps": 1, "protocol__human_traps_right": 1}
# The main scale is the last one: naturalness comes first.
FIXED = {"task__order": "fixed", "task__main": "Intelligibility"}
PARTS = ("naturalness", "intelligibility")


def study_with(now: datetime, **settings: Any) -> Study:
    """Launch a study of two scales in passes, with two test clips and two traps in its batch."""
    return kinds.make("scales", now=now, **{"task__way": "passes", **TRAPS, **FIXED, **settings})


def give(person: Person, point: str | dict[str, str]) -> None:
    """Hear the clip once and give this point, or the one of the trial's role."""
    if isinstance(point, dict):
        point = point.get(person.role, "3")
    person.fetch()
    person.play()
    person.wait(person.current.trial.clips[0].seconds)
    person.send(person.submission(answer={"answers": {asked(person): point}}))


def asked(person: Person) -> str:
    [part] = person.current.trial.shown["public"]["scales"]
    return str(part)


def trap_points(person: Person, intelligibility: dict[str, str]) -> dict[str, str]:
    """Return wrong points for traps in the first pass, and these in the pass of the main scale."""
    return intelligibility if asked(person) == "intelligibility" else {"trap_flawed": "5", "trap_human": "1"}


def through(person: Person, **traps: str) -> Person:
    """Rate to the end; traps are right on the main scale only."""
    person.start()
    while not person.is_done:
        give(person, trap_points(person, {"trap_flawed": "1", "trap_human": "5", **traps}))
    for batch in person.filled:
        batches.validate(pk=batch, now=person.now)
    return person


def taken() -> int:
    return sum(Pool.objects.filter(cell__role="test").values_list("taken", flat=True))


def test_all_clips_come_for_the_first_scale_and_then_all_again_in_a_new_order(now: datetime) -> None:
    study = study_with(now)
    orders = set()
    for _number in range(8):
        batch = Batch.objects.get(session=Person(study, now).start().session)
        trials = list(batch.trials.order_by("position"))
        assert batch.size == len(trials) == 8
        assert [trial.pass_number for trial in trials] == [1] * 4 + [2] * 4
        assert [trial.shown["public"]["scales"] for trial in trials] == [[PARTS[0]]] * 4 + [[PARTS[1]]] * 4
        first, second = ([trial.item_id for trial in trials if trial.pass_number == each] for each in (1, 2))
        assert sorted(first) == sorted(second)
        orders.add(first == second)
    assert False in orders


def test_only_the_first_pass_takes_places_and_every_scale_of_a_full_batch_counts(now: datetime) -> None:
    person = Person(study_with(now), now).start()
    assert taken() == 2
    later = Trial.objects.filter(pass_number=2)
    assert not later.exclude(pool=None, text=None, holds=False, surplus=False).exists()
    through(person)
    assert taken() == 2
    assert set(Trial.objects.values_list("usable", flat=True)) == {True}
    assert sum(monitor.usable_by_pool(person.study.pk, None).values()) == 2
    rows = Rating.objects.filter(trial__item__role="test").values_list("clip", "part")
    assert Counter(rows) == Counter((clip, part) for clip in {clip for clip, _part in rows} for part in PARTS)
    for part in PARTS:
        assert len(list(ratings.scores(person.study.pk, part, None))) == 2


def test_each_trial_takes_one_play_and_asks_one_scale(now: datetime) -> None:
    person = Person(study_with(now, seconds=2.0), now).start()
    person.fetch()
    person.play()
    person.wait(person.current.trial.clips[0].seconds)
    with pytest.raises(Invalid) as refused:
        person.send(person.submission(answer={"answers": dict.fromkeys(PARTS, "3")}))
    assert list(refused.value.problems) == ["answers.intelligibility"]
    person.send(person.submission(answer={"answers": {"naturalness": "3"}}))
    assert Rating.objects.get().part == "naturalness"


def test_a_session_that_ends_before_the_last_pass_counts_for_no_scale_and_frees_its_places(now: datetime) -> None:
    study = study_with(now)
    person = Person(study, now).start()
    while asked(person) == "naturalness":
        give(person, "3")
    assert Rating.objects.filter(part="naturalness").count() == 4
    finishing.withdraw(session_id=person.session.pk, now=person.now)
    assert taken() == 0
    assert not Trial.objects.filter(usable=True).exists()
    assert not list(ratings.scores(study.pk, "naturalness", None))
    assert Person(study, person.now).start().current.size == 8


@pytest.mark.parametrize(("traps", "valid"), [({}, True), ({"trap_flawed": "5"}, False), ({"trap_human": "1"}, False)])
def test_traps_come_in_every_pass_and_only_the_main_scale_judges_them(
    traps: dict[str, str], valid: bool, now: datetime
) -> None:
    person = through(Person(study_with(now), now), **traps)
    batch = Batch.objects.get()
    assert batch.valid is valid
    assert (batch.trap_counts["flawed"], batch.trap_counts["humans"]) == (1, 1)
    roles = Trial.objects.values_list("pass_number", "item__role")
    assert Counter(roles) == {(number, role): 2 if role == "test" else 1 for number in (1, 2)
                              for role in ("test", "trap_flawed", "trap_human")}  # fmt: skip
    live = figures.compute(study_id=person.study.pk, simulated=Simulated.WITHOUT, now=person.now)
    right = {"trap_flawed": 1, "trap_human": 1} | dict.fromkeys(traps, 0)
    assert {trap.role: (trap.right, trap.asked) for trap in live.traps} == {role: (n, 1) for role, n in right.items()}


def test_a_trap_that_could_not_be_played_for_the_main_scale_is_not_judged(now: datetime) -> None:
    person = Person(study_with(now), now).start()
    while not person.is_done:
        if (person.role, asked(person)) == ("trap_flawed", "intelligibility"):
            skip(person)
        else:
            give(person, trap_points(person, {"trap_human": "5"}))
    assert batches.validate(pk=person.filled[0], now=person.now) is None
    live = figures.compute(study_id=person.study.pk, simulated=Simulated.WITHOUT, now=person.now)
    assert {trap.role: trap.asked for trap in live.traps} == {"trap_flawed": 0, "trap_human": 1}


def skip(person: Person) -> None:
    key, tab = person.current.trial.clips[0].key, person.current.tab
    person.page, filled = skipping.skip(session_id=person.session.pk, key=key, tab=tab, now=person.now, rng=person.rng)
    if filled is not None:
        person.filled.append(filled)


def test_a_trap_skipped_in_another_pass_is_judged_all_the_same(now: datetime) -> None:
    person = Person(study_with(now), now).start()
    while not person.is_done:
        if (person.role, asked(person)) == ("trap_flawed", "naturalness"):
            skip(person)
        else:
            give(person, trap_points(person, {"trap_flawed": "1", "trap_human": "5"}))
    assert batches.validate(pk=person.filled[0], now=person.now) is True


def test_a_clip_that_fails_in_every_pass_counts_once_among_the_skipped_ones(now: datetime) -> None:
    scales = [{"name": f"s{number}", "question": f"Question {number}?"} for number in range(6)]
    study = study_with(now, task__scales=scales, task__main=None, **dict.fromkeys(TRAPS, 0))
    person = Person(study, now).start()
    broken = Trial.objects.get(token=person.current.trial.token).item_id
    while not person.is_done:
        if Trial.objects.get(token=person.current.trial.token).item_id == broken:
            skip(person)
        else:
            give(person, "3")
    person.session.refresh_from_db()
    assert person.session.outcome == "complete"
    assert Trial.objects.filter(skipped_at__isnull=False).count() == 6
    # Its place is free again; the other clip counts on all scales.
    batches.validate(pk=person.filled[0], now=person.now)
    assert taken() == 1


def test_a_scale_that_could_not_be_heard_is_missing_and_the_others_count(now: datetime) -> None:
    study = study_with(now)
    person = Person(study, now).start()
    while not person.is_done:
        if (person.role, asked(person)) == ("test", "intelligibility") and not skipped():
            skip(person)
        else:
            give(person, trap_points(person, {"trap_flawed": "1", "trap_human": "5"}))
    assert batches.validate(pk=person.filled[0], now=person.now) is True
    assert [len(list(ratings.scores(study.pk, part, None))) for part in PARTS] == [2, 1]


def skipped() -> bool:
    return Trial.objects.filter(skipped_at__isnull=False).exists()


def test_pages_name_the_pass_and_ask_its_scale(now: datetime) -> None:
    person = Person(study_with(now), now).start()
    browser = carry(person)
    page = browser.get(f"/rate/{person.study.slug}/trial/").content.decode()
    assert 'data-way="passes"' in page
    assert "Now rate all clips again, on another question." in page
    person.load()
    told = [person.current.trial.shown["public"]]
    while not person.is_done:
        url = f"/rate/{person.study.slug}/api/answers/{person.current.trial.token}"
        person.fetch()
        person.play()
        person.wait(person.current.trial.clips[0].seconds)
        submission = person.submission(answer={"answers": {asked(person): "3"}})
        person.send(submission)
        # Sent again, an answer gets the same reply.
        letter = {"tab": submission.tab, "key": str(submission.key), "answer": submission.answer}
        reply = browser.post(url, json.dumps(letter), content_type="application/json").json()
        told += [reply["trial"]["shown"]] if reply["state"] == "trial" else []
    assert told == [{"scales": [PARTS[at > 3]], "pass": 1 + (at > 3), "passes": 2} for at in range(8)]


def test_nobody_gets_an_item_twice_in_a_pass(now: datetime) -> None:
    Person(study_with(now), now).start()
    trial = Trial.objects.filter(pass_number=2)[0]
    trial.pk, trial.token, trial.position = None, "x" * 22, 99
    with pytest.raises(IntegrityError):
        trial.save(force_insert=True)


def test_time_clips_and_pay_of_a_session_count_a_play_for_each_pass(now: datetime) -> None:
    more = {"seconds": 30.0, "protocol__tests_per_batch": 2, "payment__rate": 0.5, "payment__per": "clip"}
    one, both = (study_with(now, task__way=way, **more) for way in ("one_page", "passes"))
    contents = [
        session_time.content_of(study.pk, facts.frozen(study.versions.get().pk).definition) for study in (one, both)
    ]
    assert [content.clips for content in contents] == [4, 8]
    assert contents[1].listening == pytest.approx(2 * contents[0].listening)
    # Four clips of 30 s and 36.3 s each; eight of 30 s and half of that.
    assert [content.minutes for content in contents] == [5, 7]
    definition = facts.frozen(both.versions.get().pk).definition
    assert consent_facts(both.pk, definition, definition.texts, platform="").clips == 8


def test_the_minutes_left_count_the_passes_to_come(now: datetime) -> None:
    person = Person(study_with(now), now).start()
    minutes = []
    while not person.is_done:
        person.wait(50)
        give(person, "3")
        if not person.is_done:
            minutes.append(person.current.minutes_left)
    # From the fourth of eight clips, each of which takes 50 s and half a second.
    assert minutes == [None, None, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"protocol__batches_per_session": 2}, "Set “Batches per rater” to 1."),
        ({"protocol__repeats": 1, "protocol__repeat_distance": 1}, "Set “Repeated trials per batch” to 0."),
        ({"protocol__most_ratings": 20}, "“Most ratings per clip”"),
    ],
)
def test_settings_that_passes_exclude_block_the_launch(settings: dict[str, Any], words: str, now: datetime) -> None:
    study = study_with(now, launched=False, **settings)
    told = [finding.message for finding in findings(study) if finding.level == "blocking"]
    assert [words in message for message in told] == [True]
    assert not [finding for finding in findings(study_with(now, launched=False)) if finding.level == "blocking"]
    other = study_with(now, launched=False, task__way="page_each", **settings)
    assert not any("eparate passes" in finding.message for finding in findings(other))


def test_a_study_without_passes_marks_no_trial(now: datetime) -> None:
    for way in ("one_page", "page_each"):
        person = Person(study_with(now, task__way=way), now).start()
        while not person.is_done:
            person.wait(1)
            rate_all(person)
    assert set(Trial.objects.values_list("pass_number", flat=True)) == {0}


def rate_all(person: Person) -> None:
    person.fetch()
    person.play()
    person.wait(9)
    person.send(person.submission(answer={"answers": dict.fromkeys(PARTS, "3")}))


@pytest.mark.django_db(transaction=True)
def test_trials_of_an_existing_database_have_no_pass(now: datetime) -> None:
    through(Person(study_with(now), now))
    Trial.objects.filter(pass_number=2).update(pass_number=0, repeat=1)
    trials = list(Trial.objects.order_by("pk").values_list("pk", flat=True))
    try:
        call_command("migrate", "raters", "0023", verbosity=0)
        with connection.cursor() as cursor:
            assert "pass_number" not in {column.name for column in connection.introspection.get_table_description(
                cursor, "raters_trial")}  # fmt: skip
    finally:
        call_command("migrate", "raters", verbosity=0)
    assert list(Trial.objects.filter(pass_number=0).order_by("pk").values_list("pk", flat=True)) == trials
