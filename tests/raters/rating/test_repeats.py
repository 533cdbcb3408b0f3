"""Repeated trials: served like any other, and no part of coverage or scores."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection

from analysis.data.models import Simulated
from analysis.live import figures
from raters.models import Answer, Batch, Rating, Trial
from raters.rating import batches, monitor, ratings, repeated, scored, trust, verdicts
from studies import task_types
from studies.definition import facts
from studies.models import Pool, Study
from studies.pool import session_time
from tests import kinds
from tests.raters.test_all_kinds import rate
from tests.world import Person, audio_url, carry, make_study

pytestmark = pytest.mark.django_db
every_kind = pytest.mark.parametrize("kind", sorted(task_types.by_name()))


def study_with(now: datetime, **settings: Any) -> Study:
    """Launch a study with two repeats in each batch of seven tests and three traps."""
    return make_study(now=now, **{"protocol__repeats": 2, "protocol__batches_per_session": 1, **settings})


def through(person: Person, label: str = "") -> Person:
    """Rate to the end: all traps right, and `label` or the clip's own answer for tests."""
    person.start()
    while not person.is_done:
        own = {"trap_human": "human", "trap_flawed": "machine"}.get(person.role)
        person.rate(own or label or "human")
    for batch in person.filled:
        batches.validate(pk=batch, now=person.now)
    return person


def taken() -> int:
    return sum(Pool.objects.filter(cell__role="test").values_list("taken", flat=True))


def again() -> Any:
    return Trial.objects.filter(repeat=1)


def test_a_batch_repeats_tests_of_its_own_after_the_distance(now: datetime) -> None:
    study = study_with(now, protocol__repeat_distance=4)
    for _number in range(8):
        batch = Batch.objects.get(session=Person(study, now).start().session)
        assert batch.size == batch.trials.count() == 12
        for trial in batch.trials.filter(repeat=1):
            first = batch.trials.get(item=trial.item_id, repeat=0)
            assert first.item.role == "test"
            assert trial.position - first.position >= 4
    assert again().count() == 16


def test_repeats_take_no_place(now: datetime) -> None:
    person = Person(study_with(now), now).start()
    assert taken() == 7
    assert not again().exclude(pool=None, text=None, holds=False, surplus=False).exists()
    through(person)
    assert taken() == 7
    assert Trial.objects.filter(usable=True, pool__isnull=False).count() == 7
    assert set(again().values_list("usable", flat=True)) == {False}


def test_a_repeat_is_no_trap(now: datetime) -> None:
    # A wrong answer to a repeat changes nothing about the batch.
    person = Person(study_with(now), now).start()
    while not person.is_done:
        is_again = Trial.objects.get(token=person.current.trial.token).repeat
        person.rate("unclear" if is_again else {"trap_flawed": "machine"}.get(person.role, "human"))
    assert batches.validate(pk=person.filled[0], now=person.now) is True
    counts = Batch.objects.get().trap_counts
    assert (counts["flawed"], counts["humans"]) == (1, 2)


def test_repeats_never_enter_scores(now: datetime) -> None:
    study = study_with(now)
    person = Person(study, now).start()
    while not person.is_done:
        is_again = Trial.objects.get(token=person.current.trial.token).repeat
        person.rate("machine" if is_again else {"trap_flawed": "machine"}.get(person.role, "human"))
    batches.validate(pk=person.filled[0], now=person.now)
    [page] = scored.pages(study.pk, "label", None)
    assert {row.score for row in page if row.usable and row.trial in trials_of(study)} == {1.0}
    assert len(page) == 10
    assert {score.value for score in ratings.scores(study.pk, "label", None)} == {1.0}
    live = figures.compute(study_id=study.pk, simulated=Simulated.WITHOUT, now=person.now)
    assert {group.mean for groups in live.scores.values() for group in groups} == {1.0}
    assert sum(monitor.usable_by_pool(study.pk, None).values()) == 7
    assert monitor.usable_since(study.pk, now) == 7


def trials_of(study: Study) -> set[int]:
    return set(Trial.objects.filter(session__study=study, item__role="test").values_list("pk", flat=True))


def test_ratings_lost_to_the_traps_have_no_repeats_either(now: datetime) -> None:
    study = study_with(now)
    person = Person(study, now).start()
    while not person.is_done:
        person.rate("human")
    assert batches.validate(pk=person.filled[0], now=person.now) is False
    assert len(list(ratings.scores(study.pk, "label", None))) == 7
    assert not list(repeated.rated_twice(study.pk, "label", None))


def test_each_repeat_is_paired_with_the_first_rating_of_the_same_clip(now: datetime) -> None:
    study = study_with(now)
    person = Person(study, now).start()
    said: dict[tuple[int, int], str] = {}
    while not person.is_done:
        trial = Trial.objects.get(token=person.current.trial.token)
        label = {"trap_human": "human", "trap_flawed": "machine"}.get(person.role)
        label = label or ("unclear" if trial.repeat else ("human", "machine")[trial.position % 2])
        said[trial.item_id, trial.repeat] = label
        person.rate(label)
    batches.validate(pk=person.filled[0], now=person.now)
    pairs = list(repeated.rated_twice(study.pk, "label", None))
    expected = sorted(said[item, 0] for item, repeat in said if repeat)
    assert sorted(pair.first_code for pair in pairs) == expected
    assert [(pair.again_code, pair.again) for pair in pairs] == [("unclear", 0.5)] * 2
    # A verdict on either answer takes the pair out.
    for number, repeat in enumerate((0, 1), start=1):
        repeats = sorted(again().values_list("item", flat=True))
        answer = Answer.objects.get(trial__item=repeats[repeat], trial__repeat=repeat)
        verdicts.exclude(answer=answer.pk, rule="by_hand", by=None, now=person.now, detail={})
        assert len(list(repeated.rated_twice(study.pk, "label", None))) == 2 - number


def test_a_repeat_has_a_token_keys_and_bytes_of_its_own(now: datetime, files: Any) -> None:
    person = Person(study_with(now, seconds=0.2), now).start()
    browser, content = carry(person), {}
    while not person.is_done:
        trial = Trial.objects.get(token=person.current.trial.token)
        content[trial.item_id, trial.repeat] = b"".join(browser.get(audio_url(person)))
        person.rate("human")
    assert len(set(content.values())) == 12
    # All clips of the study last equally long, so no size differs.
    assert len({len(each) for each in content.values()}) == 1
    assert not any("repeat" in json.dumps(trial.shown) for trial in again())


def test_nobody_gets_an_item_a_third_time(now: datetime) -> None:
    Person(study_with(now), now).start()
    trial = again()[0]
    trial.pk, trial.token, trial.position = None, "x" * 22, 99
    with pytest.raises(IntegrityError):
        trial.save(force_insert=True)


def test_minutes_and_clips_of_a_session_count_repeats(now: datetime) -> None:
    plain, more = (study_with(now, protocol__repeats=number, seconds=30.0) for number in (0, 5))
    contents = [session_time.content_of(study.pk, facts.frozen(study.versions.get().pk).definition)
                for study in (plain, more)]  # fmt: skip
    assert [content.clips for content in contents] == [10, 15]
    assert contents[1].minutes / contents[0].minutes == pytest.approx(1.5, abs=0.1)


def test_a_short_batch_leaves_out_repeats_that_do_not_fit(now: datetime) -> None:
    # The fifth rater of seven wanted places gets what is left.
    study = study_with(
        now, texts=4, systems=("alpha", "beta"), protocol__ratings_wanted=2, protocol__most_ratings=2,
        protocol__tests_per_batch=3, protocol__repeats=2, protocol__repeat_distance=5,
    )  # fmt: skip
    sizes = []
    for _number in range(6):
        person = Person(study, now).start()
        if not person.is_done:
            batch = Batch.objects.get(session=person.session)
            sizes.append(
                (batch.trials.filter(item__role="test", repeat=0).count(), batch.trials.filter(repeat=1).count())
            )
    assert (3, 2) in sizes
    assert all(repeats <= max(0, number + 3 - 5 + 1) for number, repeats in sizes)


@every_kind
def test_every_task_type_repeats_a_trial_that_is_compared_and_not_counted(kind: str, now: datetime) -> None:
    study = kinds.make(kind, now=now, protocol__repeats=1, protocol__repeat_distance=1)
    person = Person(study, now).start()
    while not person.is_done:
        rate(person)
    assert batches.validate(pk=person.filled[0], now=person.now) is True
    trial = again().get()
    first = Trial.objects.get(item=trial.item_id, repeat=0)
    assert (first.usable, trial.usable) == (True, False)
    assert Rating.objects.filter(trial=trial).exists()
    assert len(trust.sheets(study=study.pk, rater=person.session.rater_id)) == 2 + len(traps(person))
    assert not trial.shown["golden"]
    if kind == "compare":
        assert trial.shown["order"] == first.shown["order"][::-1]
    if kind != "sp_mcqa":
        part = facts.frozen(person.session.version_id).kind.score.part
        assert len(list(repeated.rated_twice(study.pk, part, None))) == clips_rated(first, part)


def traps(person: Person) -> list[Trial]:
    return list(Trial.objects.filter(session=person.session).exclude(item__role="test"))


def clips_rated(trial: Trial, part: str) -> int:
    return (
        Rating.objects.filter(trial=trial, part=part, value__isnull=False).values("clip", "question").distinct().count()
    )


@pytest.mark.django_db(transaction=True)
def test_trials_of_an_existing_database_are_no_repeats(now: datetime) -> None:
    through(Person(make_study(now=now), now))
    trials = list(Trial.objects.order_by("pk").values_list("pk", flat=True))
    try:
        call_command("migrate", "raters", "0022", verbosity=0)
        with connection.cursor() as cursor:
            assert "repeat" not in {column.name for column in connection.introspection.get_table_description(
                cursor, "raters_trial")}  # fmt: skip
    finally:
        call_command("migrate", "raters", verbosity=0)
    assert list(Trial.objects.filter(repeat=0).order_by("pk").values_list("pk", flat=True)) == trials
