"""What experts are offered: which answers, in which order, to whom, and never two at once."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256

import pytest

from accounts.models import User
from core import clock
from core.errors import Conflict
from raters.experts import review_flags
from raters.experts.reviewing import REVIEW
from raters.models import Answer, ReviewItem, Session
from raters.rating import verdicts
from raters.simulation.simulated_sessions import simulate
from studies.decisions import deciding
from studies.decisions import queue as decision_queue
from studies.models import Study
from studies.rules.decisions import draws
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import answers, change, decide, empty_queues, next_of, rate, rated_study, store

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    return rated_study(now, people=2)


@pytest.fixture
def eva(study: Study) -> User:
    return expert("eva", study)


def queue(study: Study, user: User) -> list[int]:
    """Return the answers that wait for this expert, in order."""
    REVIEW.fill(study=study)
    return list(decision_queue.open_to(REVIEW, study, user.pk, clock.now()).values_list("pk", flat=True))


def test_usable_test_answers_with_a_reason_are_reviewed_and_nothing_else(
    now: datetime, study: Study, eva: User
) -> None:
    expected = set(answers(study).values_list("pk", flat=True))
    # A batch that failed its traps, one that is not finished, a reason left empty, and what was excluded by hand.
    rate(study, now, attentive=False)
    empty, excluded = sorted(expected)[:2]
    Answer.objects.filter(pk=empty).update(reason="")
    verdicts.exclude(answer=excluded, rule="by_hand", by=None, now=now, detail={})
    empty_queues(study)
    assert set(queue(study, eva)) == expected - {empty, excluded}
    assert not ReviewItem.objects.filter(answer__trial__item__role__startswith="trap").exists()


def test_the_order_is_random_the_same_for_all_and_not_that_of_arrival(study: Study, eva: User) -> None:
    found = queue(study, eva)
    assert found == queue(study, expert("otto", study))
    assert found != sorted(found)
    # Rater by rater would show as two halves.
    assert len(set(found[:7]) & set(sorted(found)[:7])) not in {0, 7}
    assert found == sorted(found, key=lambda pk: draws("review", study.secret, pk)[0])


def test_the_order_can_not_be_told_without_the_studys_secret() -> None:
    numbers = [draws("review", "secret", answer) for answer in range(500)]
    assert numbers != [draws("review", "another", answer) for answer in range(500)]
    assert all(0 <= each < 1 for pair in numbers for each in pair)
    assert 0.4 < sum(first for first, _second in numbers) / 500 < 0.6
    # The order says nothing of who is reviewed twice.
    high = [second for first, second in numbers if first > 0.5]
    assert 0.4 < sum(high) / len(high) < 0.6


def test_a_long_queue_is_taken_up_in_the_order_of_its_draws(study: Study, eva: User) -> None:
    empty_queues(study)
    assert REVIEW.fill(study=study, limit=4) == 4
    part = list(ReviewItem.objects.order_by("draw").values_list("pk", flat=True))
    assert REVIEW.fill(study=study) == 10
    assert REVIEW.fill(study=study) == 0
    assert queue(study, eva)[:4] == part


def test_flagged_reasons_come_first_where_that_is_asked(study: Study, eva: User) -> None:
    last = queue(study, eva)[-1]
    ReviewItem.objects.update(flagged=False)
    ReviewItem.objects.filter(pk=last).update(flagged=True)
    assert queue(study, eva)[-1] == last
    change(study, mode="flagged_first")
    assert queue(study, eva)[0] == last


def test_a_share_is_a_random_share_and_what_was_begun_is_finished(study: Study, eva: User, now: datetime) -> None:
    everything = queue(study, eva)
    cut = sorted(ReviewItem.objects.values_list("draw", flat=True))[5]
    change(study, mode="share", share=cut)
    assert queue(study, eva) == everything[:5]
    assert decision_queue.pace(REVIEW, study, eva.pk, now).total == 5
    ReviewItem.objects.filter(pk=everything[-1]).update(state="half")
    assert queue(study, eva) == [*everything[:5], everything[-1]]


def test_nothing_waits_where_the_review_is_off(study: Study, eva: User, now: datetime) -> None:
    change(study, mode="off")
    assert REVIEW.fill(study=study) == 0
    assert next_of(study, eva, now) is None


def test_simulated_answers_are_reviewed_only_where_that_is_asked(study: Study, eva: User, now: datetime) -> None:
    simulate(study_id=study.pk, raters=2, seed=1, careless=0, now=now)
    assert len(queue(study, eva)) == 14
    change(study, simulated=True)
    assert len(queue(study, eva)) > 14


def test_an_answer_is_offered_to_one_expert_at_a_time(study: Study, eva: User, now: datetime) -> None:
    otto = expert("otto", study)
    mine = decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=now)
    theirs = decision_queue.offer(REVIEW, study=study, user_id=otto.pk, now=now)
    assert len({card.key for card in (*mine, *theirs)}) == 4
    assert [card.key for card in decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=now)] == [
        c.key for c in mine
    ]
    later = now + timedelta(minutes=14)
    decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=later)
    held = set(ReviewItem.objects.filter(holder=eva).values_list("held_until", flat=True))
    assert held == {later + timedelta(minutes=15)}


def test_what_an_expert_left_lying_goes_to_the_next_one(study: Study, eva: User, now: datetime) -> None:
    left = {item.pk for item in held_by(study, eva, now)}
    otto = expert("otto", study)
    later = now + timedelta(minutes=15)
    assert {item.pk for item in held_by(study, otto, later)} == left


def held_by(study: Study, user: User, now: datetime) -> list[ReviewItem]:
    decision_queue.offer(REVIEW, study=study, user_id=user.pk, now=now)
    return list(ReviewItem.objects.filter(holder=user))


def test_nobody_reviews_what_they_rated_themselves(study: Study, eva: User, now: datetime) -> None:
    own = Session.objects.order_by("pk")[0]
    Session.objects.filter(pk=own.pk).update(opened_by=eva)
    waiting = queue(study, eva)
    assert len(waiting) == 7
    assert not Answer.objects.filter(pk__in=waiting, trial__session=own).exists()
    assert len(queue(study, expert("otto", study))) == 14


def test_an_answer_of_ones_own_is_refused_even_when_it_was_offered(study: Study, eva: User, now: datetime) -> None:
    card = next_of(study, eva, now)
    assert card
    Session.objects.update(opened_by=eva)
    with pytest.raises(Conflict):
        store(study=study, user=eva, key=card.key, decision="consistent", now=now)


def test_what_is_put_off_comes_last_for_this_expert_and_not_for_others(study: Study, eva: User, now: datetime) -> None:
    before = queue(study, eva)
    card = next_of(study, eva, now)
    assert card
    deciding.skip(REVIEW, study=study, user_id=eva.pk, key=card.key, now=now)
    assert queue(study, eva) == [*before[1:], before[0]]
    assert queue(study, expert("otto", study)) == before
    with pytest.raises(Conflict):
        deciding.skip(REVIEW, study=study, user_id=eva.pk, key=card.key, now=now)
    second = next_of(study, eva, now)
    assert second
    deciding.skip(REVIEW, study=study, user_id=eva.pk, key=second.key, now=now + timedelta(seconds=1))
    assert queue(study, eva) == [*before[2:], before[0], before[1]]


def test_disputed_answers_come_first(study: Study, eva: User) -> None:
    last = queue(study, eva)[-1]
    ReviewItem.objects.filter(pk=last).update(state="disputed")
    assert queue(study, eva)[0] == last


def own_words(index: int) -> str:
    """Return forty letters and digits that no other index has, and that don't repeat."""
    return sha256(str(index).encode()).hexdigest()[:40]


def test_copies_and_near_copies_are_flagged_on_both_sides(study: Study, eva: User) -> None:
    rows = list(answers(study))
    for index, row in enumerate(rows):
        Answer.objects.filter(pk=row.pk).update(reason=f"{own_words(index)} unlike any other thing said here {index}")
    same, theirs, mine = rows[0], rows[13], rows[1]
    Answer.objects.filter(pk=same.pk).update(reason="Each word begins from perfect silence, near second 1")
    Answer.objects.filter(pk=theirs.pk).update(reason="each word begins from perfect SILENCE – near second 1!")
    Answer.objects.filter(pk=mine.pk).update(reason="Each word begins from perfect silence, near second 2")
    empty_queues(study)
    queue(study, eva)
    flags = dict(ReviewItem.objects.values_list("pk", "flags"))
    assert flags.pop(theirs.pk) == ["duplicate"]
    assert flags.pop(same.pk) == ["duplicate", "near_duplicate"]
    assert flags.pop(mine.pk) == ["near_duplicate"]
    assert set(map(tuple, flags.values())) <= {(), ("near_duplicate",)}


def test_a_copy_that_comes_later_flags_the_first_one_too(study: Study, eva: User, now: datetime) -> None:
    for index, row in enumerate(answers(study)):
        Answer.objects.filter(pk=row.pk).update(reason=f"{own_words(index)} said number {index} of this kind")
    empty_queues(study)
    queue(study, eva)
    first = answers(study)[0]
    assert "duplicate" not in ReviewItem.objects.get(pk=first.pk).flags
    rate(study, now)
    last = answers(study).last()
    ReviewItem.objects.filter(pk=last.pk).delete()
    Answer.objects.filter(pk=last.pk).update(reason=first.reason)
    queue(study, eva)
    assert "duplicate" in ReviewItem.objects.get(pk=first.pk).flags


def test_what_another_rater_wrote_nearly_the_same_is_flagged_by_the_worker_and_not_by_the_page(
    study: Study, eva: User
) -> None:
    for index, row in enumerate(answers(study)):
        Answer.objects.filter(pk=row.pk).update(reason=f"{own_words(index)} said number {index} of this kind")
    first = answers(study)[0]
    theirs = answers(study).exclude(trial__rater=first.trial.rater_id)[0]
    other = "After the second sentence comes a breath, just where a speaker would take it"
    Answer.objects.filter(pk=first.pk).update(reason=other)
    Answer.objects.filter(pk=theirs.pk).update(reason=f"{other}, really")
    empty_queues(study)
    queue(study, eva)
    flags = dict(ReviewItem.objects.values_list("pk", "flags"))
    assert flags[first.pk] == flags[theirs.pk] == []
    review_flags.compare_all(now=clock.now())
    flags = dict(ReviewItem.objects.values_list("pk", "flags"))
    assert flags[first.pk] == flags[theirs.pk] == ["near_duplicate_of_others"]
    assert ReviewItem.objects.filter(flagged=True).count() == 2
    assert review_flags.compare(study_id=study.pk) == 0


def test_the_pace_leaves_breaks_out(study: Study, eva: User, now: datetime) -> None:
    moment = now
    for seconds in (0, 10, 20, 3600, 30):
        moment += timedelta(seconds=seconds)
        decide(study, eva, moment)
    found = decision_queue.pace(REVIEW, study, eva.pk, moment)
    assert (found.total, found.done, found.waiting, found.mine, found.today) == (14, 5, 9, 5, 5)
    assert found.seconds == 20
    tomorrow = decision_queue.pace(REVIEW, study, eva.pk, moment + timedelta(days=1))
    assert (tomorrow.mine, tomorrow.today) == (5, 0)


def test_an_inconsistent_answer_still_counts_as_one_of_those_to_review(study: Study, eva: User, now: datetime) -> None:
    decide(study, eva, now, "inconsistent")
    found = decision_queue.pace(REVIEW, study, eva.pk, now)
    assert (found.total, found.done, found.seconds) == (14, 1, None)


def test_filling_and_offering_cost_the_same_for_long_queues(
    study: Study, eva: User, now: datetime, django_assert_max_num_queries: object
) -> None:
    REVIEW.fill(study=study)
    decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=now)
    with django_assert_max_num_queries(12):  # type: ignore[operator]
        decision_queue.offer(REVIEW, study=study, user_id=eva.pk, now=now)
