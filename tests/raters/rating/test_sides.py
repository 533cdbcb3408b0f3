"""A rater hears either of two systems first equally often, in an order that nobody can predict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from raters.models import Trial, TrialClip
from raters.rating import batches
from raters.rating.sides import Heard, to_swap
from studies.models import Study
from tests import kinds
from tests.raters.test_all_kinds import rate
from tests.world import Person

A, B, C = (("test", name) for name in "abc")
TURNED = ((Heard(A, B), Heard(B, A)), (Heard(A, C), Heard(C, A)), (Heard(B, C), Heard(C, B)))


def most_apart(pairs: list[Heard]) -> int:
    times = Counter(pairs)
    return max((abs(times[pair] - times[Heard(pair.second, pair.first)]) for pair in pairs), default=0)


@pytest.mark.parametrize("seed", range(40))
def test_no_system_of_a_pair_is_first_more_than_once_more_than_the_other(seed: int) -> None:
    rng = Random(seed)
    pairs = rng.choices([pair for both in TURNED for pair in both], k=rng.randrange(40))
    swapped = to_swap(pairs, [], rng)
    after = [Heard(pair.second, pair.first) if place in swapped else pair for place, pair in enumerate(pairs)]
    assert most_apart(after) <= 1
    assert len(swapped) == sum(abs(Counter(pairs)[one] - Counter(pairs)[other]) // 2 for one, other in TURNED)


def test_earlier_trials_count_but_stay_as_they_were() -> None:
    assert to_swap([Heard(A, B)], [Heard(A, B)], Random(1)) == [0]
    assert to_swap([Heard(A, B)], [Heard(B, A)], Random(1)) == []
    assert sorted(to_swap([Heard(A, B)] * 3, [Heard(A, B)] * 9, Random(1))) == [0, 1, 2]


def test_pairs_of_one_system_and_of_other_roles_are_apart() -> None:
    trap = ("trap_flawed", "b")
    assert to_swap([Heard(A, A), Heard(A, A), Heard(A, trap), Heard(A, B)], [], Random(1)) == []


def test_which_of_the_pairs_are_swapped_is_drawn() -> None:
    drawn = {tuple(sorted(to_swap([Heard(A, B)] * 6, [], Random(seed)))) for seed in range(60)}
    assert {len(swapped) for swapped in drawn} == {3}
    assert len(drawn) > 15


def heard(person: Person) -> list[Heard]:
    """Return the pairs of a person's trials in the order of positions."""
    trials: defaultdict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    clips = TrialClip.objects.filter(trial__session=person.session, trial__repeat=0).select_related(
        "trial__batch", "clip__system"
    )
    for row in clips.order_by("trial__batch__number", "trial__position", "place"):
        trials[row.trial.batch.number, row.trial.position].append((row.clip.role, row.clip.system.name))
    return [Heard(*sounds[-2:]) for sounds in trials.values()]


def to_the_end(study: Study, now: datetime, number: int) -> Person:
    person = Person(study, now + timedelta(seconds=number), rng=Random(number))
    person.start()
    while not person.is_done:
        rate(person)
        for batch in person.filled:
            batches.validate(pk=batch, now=person.now)
        person.filled.clear()
    return person


@pytest.fixture
def study(now: datetime, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Study]:
    monkeypatch.setattr(kinds, "TEXTS", 4)
    for kind in ("compare", "cmos"):
        monkeypatch.setitem(kinds.SYSTEMS, kind, ("alpha", "beta", "gamma"))

    def make(kind: str, **settings: Any) -> Study:
        size = {"protocol__tests_per_batch": 4, "protocol__ratings_wanted": 12, "protocol__repeat_text": "crossed"}
        return kinds.make(kind, now=now, seconds=0.5, **(size | settings))

    return make


CASES = {
    "all pairs": ("compare", {}),
    "the baseline": ("compare", {"task__pairs": "baseline", "task__baseline": "alpha"}),
    "copies": ("compare", {"task__pairs": "baseline", "task__baseline": "beta", "task__reference": "copy"}),
    "CMOS": ("cmos", {}),
}


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES)
def test_a_rater_hears_either_first_equally_often_over_all_batches(
    case: str, study: Callable[..., Study], now: datetime
) -> None:
    kind, settings = CASES[case]
    made = study(kind, protocol__batches_per_session=2, **settings)
    sides = []
    for number in range(8):
        pairs = heard(to_the_end(made, now, number))
        assert len(pairs) == 8
        assert most_apart(pairs) <= 1
        sides.append(tuple(pair.first < pair.second for pair in pairs))
    assert len(set(sides)) >= 6, "raters have orders of their own"


@pytest.mark.django_db
def test_of_a_pair_about_half_of_the_raters_hear_either_first(study: Callable[..., Study], now: datetime) -> None:
    made = study("compare", protocol__tests_per_batch=12, protocol__batches_per_session=1)
    for number in range(12):
        assert most_apart(heard(to_the_end(made, now, number))) <= 1
    first: defaultdict[int, list[int]] = defaultdict(list)
    for trial in Trial.objects.all():
        first[trial.item_id].append(trial.shown["order"][0])
    assert len(first) == 12
    # Chance leaves out one in 25, so five of twelve are one in thousands.
    assert sum(3 <= sum(places) <= 9 for places in first.values()) >= 8


@pytest.mark.django_db
def test_a_repeat_has_its_sides_the_other_way_round(study: Callable[..., Study], now: datetime) -> None:
    made = study(
        "compare", protocol__batches_per_session=1, protocol__repeats=3, protocol__repeat_distance=2
    )  # fmt: skip
    for number in range(4):
        person = to_the_end(made, now, number)
        trials = Trial.objects.filter(session=person.session)
        again = trials.filter(repeat=1)
        assert len(again) == 3
        for trial in again:
            assert trial.shown["order"] == trials.get(item=trial.item_id, repeat=0).shown["order"][::-1]
        assert most_apart(heard(person)) <= 1


@pytest.mark.django_db
def test_a_fixed_order_stays(study: Callable[..., Study], now: datetime) -> None:
    person = to_the_end(study("cmos", task__order="reference_first"), now, 0)
    assert {pair.first for pair in heard(person)} == {("reference", "human")}
