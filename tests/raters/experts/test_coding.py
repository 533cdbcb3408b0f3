"""What experts code: which texts, who, how often, and how it is taken back (rule E2)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from accounts.models import User
from core.errors import Conflict, Invalid, NotFound
from raters.experts.coding import CODING
from raters.models import Answer, Coding, CodingItem, CodingMark, Rating, Session, Trial, Verdict
from raters.rating.rules.codes import CodeMark
from raters.simulation.simulated_sessions import simulate
from studies.decisions import queue as decision_queue
from studies.models import Study
from tests import passages
from tests.raters.experts.coding import BREATH, PAUSES, change, code, coded_study, next_of, only, store, undo, write
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import answers, empty_queues, rate

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    return coded_study(now)


@pytest.fixture
def eva(study: Study) -> User:
    return expert("eva", study)


@pytest.fixture
def otto(study: Study) -> User:
    return expert("otto", study)


def test_all_usable_test_answers_are_coded_once_and_traps_never(study: Study, eva: User, now: datetime) -> None:
    met = [code(study, eva, now).item.answer_id for _ in range(7)]
    assert sorted(met) == list(answers(study).values_list("pk", flat=True))
    assert next_of(study, eva, now) is None
    assert set(CodingItem.objects.values_list("state", flat=True)) == {"done"}


def test_a_coding_changes_no_score(study: Study, eva: User, now: datetime) -> None:
    before = list(Trial.objects.order_by("pk").values_list("pk", "usable", "holds"))
    code(study, eva, now)
    assert list(Trial.objects.order_by("pk").values_list("pk", "usable", "holds")) == before
    assert not Verdict.objects.exists()


def test_everything_about_a_coding_is_kept(study: Study, eva: User, now: datetime) -> None:
    made = code(study, eva, now, [PAUSES, BREATH], note=" hm ")
    assert (made.expert, made.purpose, made.doubled, made.note, made.at) == (eva, "first", False, "hm", now)
    assert made.shown["kind"] == "reason"
    assert len(made.shown["codes"]) == 14
    assert made.item.answer.reason not in str(made.shown)
    columns = ("code", "name", "dimension", "polarity", "start", "stop")
    assert list(made.marks.order_by("pk").values_list(*columns)) == [
        ("pauses", "Pauses", "Prosodic appropriateness", "machine", 0, 9),
        (
            "paralinguistics",
            "Breath, laughter and the like",
            "Naturalness and human-like expressiveness",
            "human",
            None,
            None,
        ),
    ]


def test_that_no_code_fits_is_a_coding_too(study: Study, eva: User, now: datetime) -> None:
    made = code(study, eva, now, [])
    assert CodingItem.objects.get(pk=made.item_id).state == "done"
    assert not made.marks.exists()


@pytest.mark.parametrize(
    "mark", [CodeMark("pauses"), CodeMark("nothing", "human"), CodeMark("pauses", "human", 0, 4000)]
)
def test_a_mark_that_does_not_fit_is_refused_whole(study: Study, eva: User, now: datetime, mark: CodeMark) -> None:
    with pytest.raises(Invalid) as refused:
        code(study, eva, now, [BREATH, mark])
    assert list(refused.value.problems) == ["marks.1"]
    assert not Coding.objects.exists()


def test_too_many_marks_and_too_long_a_note_are_refused(study: Study, eva: User, now: datetime) -> None:
    with pytest.raises(Invalid):
        code(study, eva, now, [CodeMark("pauses", "human", 0, stop) for stop in range(1, 102)])
    with pytest.raises(Invalid):
        code(study, eva, now, note="x" * 2001)
    assert not Coding.objects.exists()


def test_what_was_sent_twice_is_one_coding_and_something_else_is_refused(
    study: Study, eva: User, now: datetime
) -> None:
    made = code(study, eva, now, [PAUSES, BREATH])
    again = store(study=study, user=eva, key=made.key, marks=[BREATH, PAUSES], now=now)
    assert (again, Coding.objects.count(), CodingMark.objects.count()) == (made, 1, 2)
    with pytest.raises(Conflict) as refused:
        store(study=study, user=eva, key=made.key, marks=[PAUSES], now=now)
    assert refused.value.code == "already_decided"


# Two experts


def test_two_experts_never_have_the_same_text_at_once(study: Study, eva: User, otto: User, now: datetime) -> None:
    mine = decision_queue.offer(CODING, study=study, user_id=eva.pk, now=now)
    theirs = decision_queue.offer(CODING, study=study, user_id=otto.pk, now=now)
    assert len({card.key for card in (*mine, *theirs)}) == 4
    held = {item.holder_id for item in CodingItem.objects.exclude(key="")}
    assert held == {eva.pk, otto.pk}
    later = now + timedelta(minutes=16)
    taken = {
        card.shown["text"] for card in decision_queue.offer(CODING, study=study, user_id=otto.pk, now=later, count=7)
    }
    assert taken >= {card.shown["text"] for card in mine}
    with pytest.raises(Conflict) as refused:
        store(study=study, user=eva, key=mine[0].key, marks=[], now=later)
    assert refused.value.code == "lost"


def test_a_random_share_is_coded_twice_by_different_experts(study: Study, eva: User, otto: User, now: datetime) -> None:
    change(study, double_share=0.5)
    first = [code(study, eva, now) for _ in range(7)]
    assert next_of(study, eva, now) is None
    doubled = {made.item_id for made in first if made.doubled}
    assert doubled == {item.pk for item in CodingItem.objects.filter(double_draw__lt=0.5)}
    assert {made.item_id for made in first if CodingItem.objects.get(pk=made.item_id).state == "half"} == doubled
    second = []
    while next_of(study, otto, now):
        second.append(code(study, otto, now, [BREATH]))
    assert {made.item_id for made in second} == doubled
    assert {(made.purpose, made.doubled) for made in second} <= {("double", True)}
    assert not CodingItem.objects.exclude(state="done").exists()


def test_a_share_that_changes_later_asks_for_no_second_coding(
    study: Study, eva: User, otto: User, now: datetime
) -> None:
    made = code(study, eva, now)
    change(study, double_share=1.0)
    only(study, made.item)
    assert next_of(study, otto, now) is None


def test_what_is_taken_back_comes_again_and_its_marks_are_told(study: Study, eva: User, now: datetime) -> None:
    made = code(study, eva, now, [PAUSES])
    later = now + timedelta(minutes=1)
    item, marks = undo(study=study, user=eva, key=made.key, now=later)
    assert item is not None
    assert (item.pk, item.state, marks) == (made.item_id, "open", [PAUSES])
    made.refresh_from_db()
    assert made.revoked_at == later
    again = store(study=study, user=eva, key=item.key, marks=[BREATH], now=later)
    assert (again.purpose, Coding.objects.count()) == ("first", 2)
    with pytest.raises(Conflict):
        undo(study=study, user=eva, key=made.key, now=later)


def test_nobody_takes_back_what_others_found(study: Study, eva: User, otto: User, now: datetime) -> None:
    made = code(study, eva, now)
    with pytest.raises(NotFound):
        undo(study=study, user=otto, key=made.key, now=now)


def test_a_first_coding_taken_back_waits_beside_the_second(study: Study, eva: User, otto: User, now: datetime) -> None:
    change(study, double_share=1.0)
    made = code(study, eva, now)
    only(study, made.item)
    second = code(study, otto, now)
    item, _marks = undo(study=study, user=eva, key=made.key, now=now)
    assert item is not None
    assert item.state == "half"
    again = store(study=study, user=eva, key=item.key, marks=[], now=now)
    assert (again.purpose, again.doubled, second.purpose) == ("first", True, "double")


# What is out of reach


def test_nobody_codes_what_they_rated_themselves(study: Study, eva: User, now: datetime) -> None:
    Session.objects.update(opened_by=eva)
    assert next_of(study, eva, now) is None
    card = next_of(study, expert("mia", study), now)
    assert card
    CodingItem.objects.filter(key=card.key).update(holder=eva)
    with pytest.raises(Conflict):
        store(study=study, user=eva, key=card.key, marks=[], now=now)


def test_an_answer_withdrawn_or_erased_meanwhile_is_coded_by_nobody(study: Study, eva: User, now: datetime) -> None:
    first, second = decision_queue.offer(CODING, study=study, user_id=eva.pk, now=now)
    Trial.objects.filter(answer__coding_items__key=first.key).update(usable=False)
    Answer.objects.filter(coding_items__key=second.key).update(reason="")
    for card in (first, second):
        with pytest.raises(Conflict) as refused:
            store(study=study, user=eva, key=card.key, marks=[], now=now)
        assert refused.value.code == "withdrawn"
    assert not Coding.objects.exists()


def test_a_share_and_simulated_raters_follow_the_settings(study: Study, eva: User, now: datetime) -> None:
    simulate(study_id=study.pk, raters=1, seed=1, now=now)
    assert CodingItem.objects.count() == 7
    change(study, mode="share", share=0.5)
    inside = CodingItem.objects.filter(draw__lt=0.5).count()
    assert len(decision_queue.offer(CODING, study=study, user_id=eva.pk, now=now, count=20)) == inside
    change(study, mode="all", simulated=True)
    assert CODING.fill(study=study) > 0
    change(study, mode="off")
    assert decision_queue.offer(CODING, study=study, user_id=eva.pk, now=now) == []
    assert CODING.fill(study=study) == 0


def test_answers_that_come_later_are_taken_up(study: Study, eva: User, now: datetime) -> None:
    empty_queues(study)
    assert CODING.fill(study=study, limit=4) == 4
    rate(study, now)
    assert CodingItem.objects.count() == 11
    assert CODING.fill(study=study) == 3
    assert CODING.fill(study=study) == 0


def test_a_code_taken_out_of_the_codebook_is_offered_no_more_and_stays_where_it_was_found(
    study: Study, eva: User, now: datetime
) -> None:
    change(study, codes=["room | No room | Audio clarity"])
    made = code(study, eva, now, [CodeMark("room", "machine")])
    change(study, codes=[])
    with pytest.raises(Invalid):
        code(study, eva, now, [CodeMark("room", "machine")])
    assert made.marks.get().name == "No room"


def test_each_comment_on_a_question_is_coded_by_itself(now: datetime) -> None:
    study = passages.make_passages(now=now, coding__mode="all", coding__double_share=0.0)
    passages.listen(study, now, "other", "correct", "other")
    eva = expert("eva", study)
    cards = decision_queue.offer(CODING, study=study, user_id=eva.pk, now=now, count=5)
    assert [[card.shown[name] for name in ("kind", "text", "answers")] for card in cards] == [
        ["comment", passages.COMMENT, []]
    ] * 2
    assert len({card.shown["question"] for card in cards}) == 2
    made = code(study, eva, now, [CodeMark("speed"), CodeMark("proper_noun", "", 2, 8)])
    assert made.item.rating in Rating.objects.exclude(note="")
    with pytest.raises(Invalid):
        code(study, eva, now, [CodeMark("pauses", "human")])


def test_reasons_are_coded_in_the_order_of_their_draws(study: Study, eva: User, now: datetime) -> None:
    write(study, *(f"This is reason number {number}, and it is long" for number in range(7)))
    met = [code(study, eva, now).item_id for _ in range(7)]
    assert met == list(CodingItem.objects.order_by("draw").values_list("pk", flat=True))
