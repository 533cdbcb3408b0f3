"""Rule C5: two raters, a third, a fourth; the golden rule and what it gives back to the pool."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from random import Random

import pytest
from django.db import transaction

from raters.models import Answer, Batch, Rating, Trial, Verdict
from raters.rating import skipping, trust, verdicts
from raters.simulation import simulated_sessions
from studies.models import Pool, Study
from studies.task_types.sp_mcqa import SpMcqa
from tests.passages import Listener, listen, make_passages
from tests.world import carry

pytestmark = pytest.mark.django_db


def places(study: Study, *, simulated: bool = False) -> list[tuple[int, int]]:
    """Return how many ratings each place has, and how many it wants."""
    found = Pool.objects.filter(cell__study=study, cell__simulated=simulated).order_by("pk")
    return list(found.values_list("taken", "wanted"))


def usable(person: Listener) -> list[bool | None]:
    return list(Trial.objects.filter(session=person.session).order_by("pk").values_list("usable", flat=True))


@pytest.fixture
def study(now: datetime) -> Study:
    """One passage by one system: everybody who comes meets the same one place."""
    return make_passages(now=now)


def test_two_raters_who_agree_close_the_place(study: Study, now: datetime) -> None:
    listen(study, now, "correct", "distractor_1")
    assert places(study) == [(1, 2)]
    listen(study, now, "correct", "distractor_1")
    assert places(study) == [(2, 2)]


def test_where_two_disagree_a_third_is_asked(study: Study, now: datetime) -> None:
    listen(study, now)
    listen(study, now, "correct", "correct", "distractor_2")
    assert places(study) == [(2, 3)]
    listen(study, now)
    assert places(study) == [(3, 3)]


def test_where_no_two_of_three_agree_a_fourth_is_asked_and_nobody_after_that(study: Study, now: datetime) -> None:
    for code, wanted in (("correct", 2), ("distractor_1", 3), ("distractor_2", 4), ("other", 4)):
        listen(study, now, code)
        assert places(study)[0][1] == wanted
    assert places(study) == [(4, 4)]


def test_somebody_who_is_still_answering_is_waited_for(study: Study, now: datetime) -> None:
    listen(study, now)
    Listener(study, now).start()
    assert places(study) == [(2, 2)]
    third = Listener(study, now)
    third.start()
    assert third.is_done
    assert not Trial.objects.filter(session=third.session).exists()


def test_other_equals_other_whatever_the_comment(study: Study, now: datetime) -> None:
    for comment in ("I heard nine.", "There was only noise."):
        person = Listener(study, now)
        person.start()
        person.rate_passage("other", comment=comment)
        person.decide()
    assert places(study) == [(2, 2)]
    notes = Rating.objects.filter(part="question", code="other").values_list("note", flat=True)
    assert set(notes) == {"I heard nine.", "There was only noise."}


def test_a_golden_question_is_no_part_of_agreement_or_of_the_score(now: datetime) -> None:
    study = make_passages(now=now, passages=2, protocol__tests_per_batch=2, protocol__golden_share=0.5)
    for seed in (1, 2):
        person = Listener(study, now, rng=Random(seed))
        person.start()
        person.finish("distractor_1")
    met = {tuple(shown["golden"]) for shown in Trial.objects.values_list("shown", flat=True) if shown["golden"]}
    assert len(met) == 2
    assert places(study) == [(2, 2), (2, 2)]
    parts = Counter(Rating.objects.values_list("part", flat=True))
    assert parts == {"question": 12, "error": 4, "golden": 2}
    asked = Rating.objects.filter(part__in=["question", "error"], question__golden=True)
    assert not asked.exists()
    assert set(Rating.objects.filter(part="golden").values_list("question__golden", "value")) == {(True, 1.0)}


def test_failing_golden_gives_back_everything_that_this_rater_did_before(now: datetime) -> None:
    study = make_passages(now=now, passages=4, protocol__batches_per_session=4)
    person = Listener(study, now)
    person.start()
    for _ in range(2):
        person.rate_passage()
        person.decide()
    assert usable(person)[:2] == [True, True]
    assert sum(taken for taken, _wanted in places(study)) == 3
    person.rate_passage(golden="distractor_1")
    person.decide()
    assert usable(person) == [False] * 3
    assert {taken for taken, _wanted in places(study)} == {0}
    assert list(Verdict.objects.values_list("session", "rule", "usable")) == [(person.session.pk, "golden", False)]


def test_the_session_of_who_failed_golden_ends_politely_complete_and_payable(now: datetime) -> None:
    study = make_passages(now=now, passages=4, protocol__batches_per_session=4)
    person = Listener(study, now)
    person.start()
    person.rate_passage(golden="other")
    assert person.is_done
    person.session.refresh_from_db()
    assert person.session.outcome == "complete"
    page = carry(person).get(f"/rate/{study.slug}/end/").content.decode()
    honest = Listener(make_passages(now=now), now)
    honest.start()
    honest.finish()
    other = carry(honest).get(f"/rate/{honest.study.slug}/end/").content.decode()
    assert "DONE1" in page
    assert page.replace(study.slug, "").replace(study.title, "") == other.replace(honest.study.slug, "").replace(
        honest.study.title, ""
    )


def test_a_place_that_a_disqualified_rater_had_kept_open_wants_only_two_again(study: Study, now: datetime) -> None:
    listen(study, now)
    listen(study, now, "distractor_1", golden="distractor_1")
    assert places(study) == [(1, 2)]
    listen(study, now)
    assert places(study) == [(2, 2)]


def test_a_verdict_taken_back_brings_the_places_and_the_disagreement_back(study: Study, now: datetime) -> None:
    listen(study, now)
    failed = listen(study, now, "distractor_1", golden="distractor_1")
    verdicts.revoke(verdict_id=Verdict.objects.get().pk, by=None, now=now)
    assert usable(failed) == [True]
    assert places(study) == [(2, 3)]


def test_what_comes_back_to_a_place_that_was_refilled_is_kept_as_surplus(study: Study, now: datetime) -> None:
    failed = listen(study, now, golden="distractor_1")
    listen(study, now)
    listen(study, now)
    verdicts.revoke(verdict_id=Verdict.objects.get().pk, by=None, now=now)
    assert places(study) == [(3, 2)]
    assert list(Trial.objects.filter(session=failed.session).values_list("usable", "surplus")) == [(True, True)]


def test_nobody_meets_a_passage_twice_whatever_the_system(now: datetime) -> None:
    study = make_passages(now=now, systems=("a", "b", "c"), passages=5, protocol__batches_per_session=9)
    for seed in range(2):
        person = Listener(study, now, rng=Random(seed))
        person.start()
        person.finish()
        texts = list(Trial.objects.filter(session=person.session).values_list("text", flat=True))
        assert len(texts) == len(set(texts)) == 5


def test_every_session_meets_a_golden_question_among_those_of_a_passage(now: datetime) -> None:
    study = make_passages(
        now=now, systems=("a", "b"), passages=10, protocol__tests_per_batch=5, protocol__golden_share=0.1
    )
    for seed in range(4):
        person = Listener(study, now, rng=Random(seed))
        person.start()
        person.finish()
        trials = Trial.objects.filter(session=person.session).values_list("batch__number", "shown")
        met = [(batch, shown) for batch, shown in trials if shown["golden"]]
        assert (len(trials), len(met)) == (10, 1)
        # In the first batch, so that none is decided without it.
        assert met[0][0] == 1
        assert len(met[0][1]["public"]["questions"]) == 4


def test_nobody_meets_a_golden_question_twice(now: datetime) -> None:
    study = make_passages(now=now, passages=4, protocol__batches_per_session=4, golden=4)
    person = listen(study, now)
    asked = Rating.objects.filter(trial__session=person.session, part="golden").values_list("question", flat=True)
    assert len(asked) == len(set(asked)) == 4


def test_simulated_raters_adjudicate_until_no_place_is_open(now: datetime) -> None:
    study = make_passages(now=now, systems=("human", "b"), passages=4, protocol__tests_per_batch=2)
    done = simulated_sessions.simulate(study_id=study.pk, raters=24, seed=3, careless=0.4, now=now)
    assert done.sessions == 24
    assert done.answers == Answer.objects.count()
    wanted = Counter(wanted for _taken, wanted in places(study, simulated=True))
    assert set(wanted) <= {2, 3, 4}
    assert len(wanted) > 1
    assert all(wanted <= taken <= 4 for taken, wanted in places(study, simulated=True))
    assert not Trial.objects.filter(surplus=True).exists()
    assert {taken for taken, _wanted in places(study)} == {0}
    failed = set(Verdict.objects.filter(rule="golden").values_list("session", flat=True))
    assert failed
    assert not Trial.objects.filter(session__in=failed, usable=True).exists()
    golden = Rating.objects.filter(part="golden", trial__usable=True).values_list("value", flat=True)
    assert set(golden) == {1.0}


def skip(person: Listener) -> None:
    """Report the current clip, as somebody does whose browser can't play it."""
    key = person.current.trial.clips[0].key
    person.page, filled = skipping.skip(
        session_id=person.session.pk, key=key, tab=person.current.tab, now=person.now, rng=person.rng
    )
    if filled is not None:
        person.filled.append(filled)


def asks_golden(person: Listener) -> bool:
    return bool(Trial.objects.get(token=person.current.trial.token).shown["golden"])


def test_who_skips_a_golden_question_meets_another_one(now: datetime) -> None:
    study = make_passages(
        now=now, passages=8, protocol__tests_per_batch=4, protocol__golden_share=0.01, protocol__batches_per_session=2
    )
    person = Listener(study, now)
    person.start()
    while not person.is_done:
        if asks_golden(person) and person.current.batch == 1:
            skip(person)
        else:
            person.rate_passage()
    person.decide()
    golden = [shown["golden"] for shown in Trial.objects.values_list("shown", flat=True) if shown["golden"]]
    assert len(golden) == 2
    assert golden[0] != golden[1]
    assert not Verdict.objects.exists()


def test_answers_of_who_skipped_every_golden_question_are_not_used(now: datetime) -> None:
    study = make_passages(
        now=now, passages=8, protocol__tests_per_batch=4, protocol__golden_share=0.01, protocol__batches_per_session=2
    )
    person = Listener(study, now)
    person.start()
    while not person.is_done:
        if asks_golden(person):
            skip(person)
        else:
            person.rate_passage()
    person.decide()
    assert person.session.batches.count() == 2
    assert list(Verdict.objects.values_list("batch__number", "rule").order_by("batch")) == [
        (1, "traps_missing"),
        (2, "traps_missing"),
    ]
    assert not Trial.objects.filter(usable=True).exists()
    person.session.refresh_from_db()
    assert (person.session.outcome, person.session.payable) == ("complete", True)


def test_a_rater_who_is_trusted_again_gets_every_verdict_of_the_rule_taken_back(
    study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = listen(study, now, golden="distractor_1")
    assert usable(failed) == [False]
    monkeypatch.setattr(SpMcqa, "trusts", lambda kind, params, sheets: True)
    with transaction.atomic():
        trust.lock(failed.session)
        judged = trust.judge(session=failed.session, now=now)
    assert judged == list(Batch.objects.filter(session=failed.session).values_list("pk", flat=True))
    assert Verdict.objects.get().revoked_at == now
    with transaction.atomic():
        assert trust.judge(session=failed.session, now=now) == []
