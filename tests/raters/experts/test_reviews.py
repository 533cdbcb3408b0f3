"""What an expert's decision does to an answer, its place and its rater, and how it is taken back (rule E1)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from accounts.models import User
from core.errors import Conflict, Invalid, NotFound
from raters.experts import rater_limit
from raters.models import Answer, Batch, Review, ReviewItem, Trial, Verdict
from raters.rating import verdicts
from studies.models import Pool, Study
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import answers, change, decide, next_of, rate, rated_study, store, undo

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    return rated_study(now)


@pytest.fixture
def eva(study: Study) -> User:
    return expert("eva", study)


@pytest.fixture
def otto(study: Study) -> User:
    return expert("otto", study)


def taken(answer: int) -> int:
    return Pool.objects.get(trials=answer).taken


def usable(answer: int) -> bool | None:
    return Trial.objects.values_list("usable", flat=True).get(pk=answer)


@pytest.mark.parametrize("decision", ["consistent", "cannot_tell"])
def test_a_consistent_or_undecidable_reason_changes_nothing(
    study: Study, eva: User, now: datetime, decision: str
) -> None:
    before = dict(Pool.objects.values_list("pk", "taken"))
    made = decide(study, eva, now, decision)
    assert usable(made.answer_id) is True
    assert dict(Pool.objects.values_list("pk", "taken")) == before
    assert not Verdict.objects.exists()
    assert ReviewItem.objects.get(pk=made.answer_id).state == "done"


def test_an_inconsistent_reason_is_not_usable_and_its_place_returns(study: Study, eva: User, now: datetime) -> None:
    made = decide(study, eva, now, "inconsistent", note="says robot, chose Human")
    answer = made.answer_id
    assert usable(answer) is False
    assert taken(answer) == 0
    verdict = Verdict.objects.get()
    assert (verdict.answer_id, verdict.rule, verdict.rule_version, verdict.by) == (answer, "expert_review", 1, eva)
    assert verdict.detail == {"reviews": [made.pk]}
    # The batch and the rater's other answers stay as they were.
    assert Batch.objects.get().valid is True
    assert Trial.objects.filter(usable=True).count() == 9


def test_what_is_taken_back_is_usable_again_and_comes_back_to_the_expert(
    study: Study, eva: User, now: datetime
) -> None:
    made = decide(study, eva, now, "inconsistent")
    later = now + timedelta(minutes=1)
    item = undo(study=study, user=eva, key=made.key, now=later)
    assert item is not None
    assert (usable(made.answer_id), taken(made.answer_id)) == (True, 1)
    made.refresh_from_db()
    assert (made.decision, made.revoked_at) == ("inconsistent", later)
    assert Verdict.objects.get().revoked_at == later
    again = store(study=study, user=eva, key=item.key, decision="consistent", now=later)
    assert again.answer_id == made.answer_id
    assert list(Review.objects.order_by("pk").values_list("decision", "revoked_at")) == [
        ("inconsistent", later),
        ("consistent", None),
    ]
    with pytest.raises(Conflict) as refused:
        undo(study=study, user=eva, key=made.key, now=later)
    assert refused.value.code == "already_revoked"


def test_an_undone_decision_may_find_its_place_taken_and_is_surplus(study: Study, eva: User, now: datetime) -> None:
    made = decide(study, eva, now, "inconsistent")
    Pool.objects.filter(trials=made.answer_id).update(wanted=0)
    undo(study=study, user=eva, key=made.key, now=now)
    trial = Trial.objects.get(pk=made.answer_id)
    assert (trial.usable, trial.surplus) == (True, True)


def test_every_decision_says_who_when_and_what_was_shown(study: Study, eva: User, now: datetime) -> None:
    made = decide(study, eva, now, "cannot_tell", note="  Half a sentence.  ")
    assert (made.expert, made.at, made.note, made.purpose, made.study) == (eva, now, "Half a sentence.", "first", study)
    assert made.shown["answers"] == [["", "Human"]]
    assert made.shown["clips"] == [Trial.objects.get(pk=made.answer_id).clips.get().clip_id]
    assert len(made.shown["texts_sha256"]) == 64
    assert Answer.objects.get(pk=made.answer_id).reason not in str(made.shown)


def test_the_same_decision_sent_twice_is_one_and_another_one_is_refused(study: Study, eva: User, now: datetime) -> None:
    made = decide(study, eva, now, "inconsistent")
    again = store(study=study, user=eva, key=made.key, decision="inconsistent", now=now)
    assert again == made
    with pytest.raises(Conflict) as refused:
        store(study=study, user=eva, key=made.key, decision="consistent", now=now)
    assert refused.value.code == "already_decided"
    assert (Review.objects.count(), Verdict.objects.count()) == (1, 1)


@pytest.mark.parametrize(("decision", "note"), [("perhaps", ""), ("", ""), ("consistent", "x" * 2001)])
def test_only_three_decisions_and_a_short_note_are_taken(
    study: Study, eva: User, now: datetime, decision: str, note: str
) -> None:
    with pytest.raises(Invalid):
        decide(study, eva, now, decision, note=note)
    assert not Review.objects.exists()


def test_an_answer_withdrawn_meanwhile_is_not_decided(study: Study, eva: User, now: datetime) -> None:
    card = next_of(study, eva, now)
    assert card
    batch = Batch.objects.get()
    verdicts.exclude(batch=batch.pk, rule="by_hand", by=None, now=now, detail={})
    with pytest.raises(Conflict, match="withdrawn") as refused:
        store(study=study, user=eva, key=card.key, decision="consistent", now=now)
    assert refused.value.code == "withdrawn"
    assert not Review.objects.exists()
    assert next_of(study, eva, now) is None


def test_an_answer_that_went_to_somebody_else_is_decided_once(
    study: Study, eva: User, otto: User, now: datetime
) -> None:
    first = next_of(study, eva, now)
    later = now + timedelta(minutes=16)
    second = next_of(study, otto, later)
    assert first
    assert second
    assert ReviewItem.objects.get(key=second.key).holder == otto
    with pytest.raises(Conflict) as refused:
        store(study=study, user=eva, key=first.key, decision="consistent", now=later)
    assert refused.value.code == "lost"
    store(study=study, user=otto, key=second.key, decision="consistent", now=later)
    assert Review.objects.count() == 1


def test_a_slow_expert_whose_answer_nobody_took_still_decides_it(study: Study, eva: User, now: datetime) -> None:
    card = next_of(study, eva, now)
    assert card
    made = store(study=study, user=eva, key=card.key, decision="consistent", now=now + timedelta(hours=9))
    assert made.decision == "consistent"


def test_a_strangers_key_opens_nothing(study: Study, eva: User, otto: User, now: datetime) -> None:
    card = next_of(study, eva, now)
    assert card
    for key in (card.key, "", "x" * 22):
        with pytest.raises(Conflict):
            store(study=study, user=otto, key=key, decision="consistent", now=now)
    made = store(study=study, user=eva, key=card.key, decision="consistent", now=now)
    with pytest.raises(NotFound):
        undo(study=study, user=otto, key=made.key, now=now)


# Double review


@pytest.fixture
def double(study: Study) -> Study:
    change(study, double_share=1.0)
    return study


def test_two_who_agree_settle_an_answer_and_one_alone_does_not(
    double: Study, eva: User, otto: User, now: datetime
) -> None:
    first = decide(double, eva, now, "inconsistent")
    assert usable(first.answer_id) is True
    assert ReviewItem.objects.get(pk=first.answer_id).state == "half"
    ReviewItem.objects.exclude(pk=first.answer_id).update(state="done")
    second = decide(double, otto, now, "inconsistent")
    assert (second.answer_id, second.purpose, second.doubled) == (first.answer_id, "double", True)
    assert usable(first.answer_id) is False
    assert Verdict.objects.get().detail == {"reviews": [first.pk, second.pk]}


def test_nobody_reviews_an_answer_twice(double: Study, eva: User, now: datetime) -> None:
    met = [decide(double, eva, now).answer_id for _ in range(7)]
    assert len(set(met)) == 7
    assert next_of(double, eva, now) is None
    assert set(ReviewItem.objects.values_list("state", flat=True)) == {"half"}


def disputed(study: Study, eva: User, otto: User, now: datetime) -> int:
    """Make one answer disputed, all others decided, and return it."""
    first = decide(study, eva, now, "inconsistent", note="eva's thought")
    ReviewItem.objects.exclude(pk=first.answer_id).update(state="done")
    decide(study, otto, now, "consistent", note="otto's thought")
    return int(first.answer_id)


@pytest.mark.parametrize(
    ("decision", "usable_after"), [("inconsistent", False), ("consistent", True), ("cannot_tell", True)]
)
def test_a_third_expert_settles_what_two_dispute(
    double: Study, eva: User, otto: User, now: datetime, decision: str, usable_after: bool
) -> None:
    answer = disputed(double, eva, otto, now)
    assert usable(answer) is True
    assert next_of(double, eva, now) is None
    assert next_of(double, otto, now) is None
    mia = expert("mia", double)
    card = next_of(double, mia, now)
    assert card
    assert set(card.decisions) == {("consistent", "otto's thought"), ("inconsistent", "eva's thought")}
    made = store(study=double, user=mia, key=card.key, decision=decision, now=now)
    assert (made.purpose, made.shown["decisions"]) == ("adjudication", ["consistent", "inconsistent"])
    assert usable(answer) is usable_after
    assert ReviewItem.objects.get(pk=answer).decision == decision


def test_only_disputed_answers_show_what_others_decided(double: Study, eva: User, otto: User, now: datetime) -> None:
    first = decide(double, eva, now, "inconsistent")
    ReviewItem.objects.exclude(pk=first.answer_id).update(state="done")
    card = next_of(double, otto, now)
    assert card
    assert card.decisions == ()


def test_an_adjudicated_decision_is_changed_by_its_adjudicator_alone(
    double: Study, eva: User, otto: User, now: datetime
) -> None:
    answer = disputed(double, eva, otto, now)
    mia = expert("mia", double)
    made = decide(double, mia, now, "inconsistent")
    for review in Review.objects.exclude(pk=made.pk):
        with pytest.raises(Conflict) as refused:
            undo(study=double, user=review.expert, key=review.key, now=now)
        assert refused.value.code == "adjudicated"
    item = undo(study=double, user=mia, key=made.key, now=now)
    assert item
    assert (item.state, usable(answer)) == ("disputed", True)


def test_a_disputed_decision_taken_back_waits_for_a_second_one_again(
    double: Study, eva: User, otto: User, now: datetime
) -> None:
    answer = disputed(double, eva, otto, now)
    mine = Review.objects.get(expert=eva)
    item = undo(study=double, user=eva, key=mine.key, now=now)
    assert item
    assert item.state == "half"
    again = store(study=double, user=eva, key=item.key, decision="consistent", now=now)
    assert (again.answer_id, again.purpose) == (answer, "first")
    assert ReviewItem.objects.get(pk=answer).state == "done"


def test_what_somebody_else_has_by_now_is_taken_back_but_not_given_back(
    double: Study, eva: User, otto: User, now: datetime
) -> None:
    first = decide(double, eva, now, "inconsistent")
    ReviewItem.objects.exclude(pk=first.answer_id).update(state="done")
    card = next_of(double, otto, now)
    assert card
    assert undo(study=double, user=eva, key=first.key, now=now) is None
    made = store(study=double, user=otto, key=card.key, decision="consistent", now=now)
    assert (made.answer_id, made.purpose) == (first.answer_id, "first")


def test_a_share_that_changes_later_unsettles_nothing(study: Study, eva: User, now: datetime) -> None:
    made = decide(study, eva, now, "inconsistent")
    change(study, double_share=1.0)
    rater_limit.apply(study=study, now=now)
    assert ReviewItem.objects.get(pk=made.answer_id).state == "done"
    assert usable(made.answer_id) is False


# The rule on a rater


@pytest.fixture
def limited(now: datetime) -> Study:
    return rated_study(now, people=2, review__inconsistent_limit=0.5, review__inconsistent_least=4)


def test_a_rater_with_too_many_inconsistent_reasons_is_excluded_whole_and_comes_back(
    limited: Study, now: datetime
) -> None:
    eva = expert("eva", limited)
    first, second = Batch.objects.order_by("pk")
    theirs = set(answers(limited).filter(trial__batch=first).values_list("pk", flat=True))
    made = []
    while (card := next_of(limited, eva, now)) is not None:
        pk = ReviewItem.objects.get(key=card.key).pk
        decision = "inconsistent" if pk in theirs else "consistent"
        made.append(store(study=limited, user=eva, key=card.key, decision=decision, now=now))
    bad = [review for review in made if review.answer_id in theirs]
    # Once four are decided the rest are out of use, and nobody has to read them.
    assert len(bad) == 4
    assert set(first.trials.values_list("usable", flat=True)) == {False}
    assert set(second.trials.values_list("usable", flat=True)) == {True}
    verdict = Verdict.objects.get(rule="inconsistent_reasons")
    assert (verdict.session, verdict.by) == (first.session, None)
    assert verdict.detail == {"decided": 4, "inconsistent": 4, "limit": 0.5}
    # The rater is told nothing, and paid as before.
    assert (first.session.outcome, first.valid) == ("complete", True)
    undo(study=limited, user=eva, key=bad[0].key, now=now)
    verdict.refresh_from_db()
    assert verdict.revoked_at == now
    assert first.trials.filter(usable=True).count() == 7


def test_a_limit_set_later_is_applied_to_everybody_and_lifted_again(study: Study, eva: User, now: datetime) -> None:
    for _ in range(7):
        decide(study, eva, now, "inconsistent")
    assert Trial.objects.filter(usable=True).count() == 3
    change(study, inconsistent_limit=0.9)
    assert rater_limit.apply(study=study, now=now) == 1
    assert not Trial.objects.filter(usable=True).exists()
    assert rater_limit.apply(study=study, now=now) == 1
    change(study, inconsistent_limit=1.0)
    assert rater_limit.apply(study=study, now=now) == 0
    assert Trial.objects.filter(usable=True).count() == 3


def test_everything_that_is_taken_back_leaves_no_trace_in_the_places(now: datetime) -> None:
    study = rated_study(now, people=3, review__inconsistent_limit=0.3, review__double_share=0.4)
    eva, otto = expert("eva", study), expert("otto", study)
    before = dict(Pool.objects.values_list("pk", "taken"))
    made: list[Review] = []
    for user in (eva, otto):
        while (card := next_of(study, user, now)) is not None:
            decision = ["inconsistent", "consistent", "inconsistent", "cannot_tell"][len(made) % 4]
            made.append(store(study=study, user=user, key=card.key, decision=decision, now=now))
    assert Verdict.objects.filter(rule="expert_review").exists()
    for review in reversed(made):
        undo(study=study, user=review.expert, key=review.key, now=now)
    assert dict(Pool.objects.values_list("pk", "taken")) == before
    assert set(Trial.objects.values_list("usable", flat=True)) == {True}
    assert not Verdict.objects.filter(revoked_at=None).exists()
    assert set(ReviewItem.objects.values_list("state", flat=True)) == {"open"}


def test_a_place_that_returned_is_claimed_by_the_next_rater(study: Study, eva: User, now: datetime) -> None:
    made = decide(study, eva, now, "inconsistent")
    place = Pool.objects.get(trials=made.answer_id)
    Pool.objects.filter(cell__study=study, cell__role="test").exclude(pk=place.pk).update(wanted=1, taken=1)
    Pool.objects.filter(pk=place.pk).update(wanted=1)
    rate(study, now)
    place.refresh_from_db()
    assert place.taken == 1
    assert Trial.objects.filter(pool=place, usable=True, surplus=False).exclude(pk=made.answer_id).count() == 1
