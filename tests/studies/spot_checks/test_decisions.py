"""Experts decide what was drawn: two of them, a third where they differ, and what can be taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import User
from core.errors import Conflict, Invalid, NotFound
from studies.decisions import deciding
from studies.decisions import queue as decision_queue
from studies.imports import changes
from studies.models import Clip, ExpertClip, SpotDecision, SpotItem, Study
from studies.spot_checks import checking as spot_checking
from studies.spot_checks.checking import SPOT_CHECK
from tests.raters.experts.people import expert
from tests.studies.spot_checks.checking import (
    change,
    decide,
    decide_all,
    draft,
    hear,
    item_of,
    offered,
    store,
    with_takes,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    study = with_takes(draft(now, texts=4))
    spot_checking.fill(study=study)
    return study


@pytest.fixture
def eva(study: Study) -> User:
    return expert("eva", study)


@pytest.fixture
def otto(study: Study) -> User:
    return expert("otto", study)


def test_two_experts_decide_each_item_on_their_own_and_in_the_same_order(
    now: datetime, study: Study, eva: User, otto: User
) -> None:
    order: dict[str, list[int]] = {"eva": [], "otto": []}
    for user in (eva, otto):
        while card := offered(study, user, now):
            order[user.username].append(item_of(card).pk)
            decide(study, user, now)
    assert order["eva"] == order["otto"]
    assert len(order["eva"]) == SpotItem.objects.count() == 4
    assert set(SpotItem.objects.values_list("state", "outcome", "given")) == {("done", "passed", 2)}
    assert offered(study, expert("mia", study), now) is None


def test_success_comes_before_consistency(now: datetime, study: Study, eva: User) -> None:
    kinds = [decide(study, eva, now).item.kind for _ in range(4)]
    assert kinds == ["success", "success", "success", "consistency"]


def test_where_two_differ_a_third_settles_it_and_sees_what_they_said(
    now: datetime, study: Study, eva: User, otto: User
) -> None:
    first = decide(study, eva, now, "wrong_language", note="Japanese")
    item = first.item
    while item_of(card := offered(study, otto, now)).pk != item.pk:  # type: ignore[arg-type]
        decide(study, otto, now)
    assert card is not None
    assert card.decisions == ()
    decide(study, otto, now, "ok")
    item.refresh_from_db()
    assert (item.state, item.outcome) == ("disputed", "")
    assert item not in decision_queue.open_to(SPOT_CHECK, study, eva.pk, now)
    mia = expert("mia", study)
    seen = offered(study, mia, now)
    assert seen is not None
    assert seen.decisions == (("ok", ""), ("wrong_language", "Japanese"))
    made = decide(study, mia, now, "unintelligible")
    item.refresh_from_db()
    assert (made.item, made.adjudicates, item.state, item.outcome) == (item, True, "done", "failed")
    assert len(made.shown["decisions"]) == 2


def test_a_third_is_not_asked_while_two_have_it_before_them(now: datetime, study: Study, eva: User, otto: User) -> None:
    one, two = offered(study, eva, now), offered(study, otto, now)
    assert one
    assert two
    assert item_of(one) == item_of(two)
    assert one.key != two.key
    mia = expert("mia", study)
    third = offered(study, mia, now)
    assert third
    assert item_of(third) != item_of(one)
    later = offered(study, mia, now + timedelta(minutes=16))
    assert later
    assert item_of(later) == item_of(one)


def test_whoever_comes_too_late_hears_of_it_and_nothing_is_stored(now: datetime, study: Study, eva: User) -> None:
    card = offered(study, eva, now)
    assert card
    later = now + timedelta(minutes=16)
    for name in ("otto", "mia"):
        user = expert(name, study)
        found = offered(study, user, later)
        assert found
        assert item_of(found) == item_of(card)
        decide(study, user, later)
    with pytest.raises(Conflict) as refused:
        store(study=study, user=eva, key=card.key, code="ok", now=later)
    assert refused.value.code == "decided"
    assert not SpotDecision.objects.filter(expert=eva).exists()


def test_the_same_decision_sent_again_is_stored_once(now: datetime, study: Study, eva: User) -> None:
    card = offered(study, eva, now)
    assert card
    hear(eva, card, now)
    given: dict[str, Any] = {"study": study, "user": eva, "key": card.key, "now": now}
    first = store(code="ok", **given)
    assert store(code="ok", **given) == first
    with pytest.raises(Conflict) as refused:
        store(code="incomplete", **given)
    assert refused.value.code == "already_decided"


def test_bad_answers_are_refused_by_field(now: datetime, study: Study, eva: User) -> None:
    for code, note, field in (("yes", "", "decision"), ("other", " ", "note"), ("ok", "x" * 2001, "note")):
        with pytest.raises(Invalid) as refused:
            decide(study, eva, now, code, note=note)
        assert list(refused.value.problems) == [field]
    assert not SpotDecision.objects.exists()
    assert decide(study, eva, now, "other", note=" hum ").note == "hum"


def test_nothing_is_decided_on_a_clip_that_the_expert_has_not_played(
    now: datetime, study: Study, eva: User, otto: User
) -> None:
    card = offered(study, eva, now)
    assert card
    # What another expert heard is no evidence.
    hear(otto, card, now)
    with pytest.raises(Conflict) as refused:
        store(study=study, user=eva, key=card.key, code="ok", now=now)
    assert refused.value.code == "not_played"
    assert not SpotDecision.objects.exists()
    hear(eva, card, now)
    store(study=study, user=eva, key=card.key, code="ok", now=now)


def test_every_take_is_played_before_takes_are_compared(now: datetime, study: Study, eva: User) -> None:
    while (card := offered(study, eva, now)) and card.shown["kind"] == "success":
        decide(study, eva, now)
    assert card
    study_clips = [clip.clip for clip, _key in card.clips]
    ExpertClip.objects.filter(user=eva, clip__in=study_clips).delete()
    hear(eva, replace(card, clips=card.clips[:1]), now)
    with pytest.raises(Conflict, match="Play every clip first"):
        store(study=study, user=eva, key=card.key, code="yes", now=now)


def test_a_key_is_its_experts_alone(now: datetime, study: Study, eva: User, otto: User) -> None:
    card = offered(study, eva, now)
    assert card
    with pytest.raises(Conflict) as refused:
        store(study=study, user=otto, key=card.key, code="ok", now=now)
    assert refused.value.code == "lost"
    with pytest.raises(NotFound):
        deciding.undo(SPOT_CHECK, study=study, user=otto, key=card.key, now=now)


def test_an_undo_revokes_and_the_item_comes_back_under_a_new_key(now: datetime, study: Study, eva: User) -> None:
    made = decide(study, eva, now, "ok")
    assert decision_queue.last_of(SPOT_CHECK, study, eva.pk) == made.key
    key = deciding.undo(SPOT_CHECK, study=study, user=eva, key=made.key, now=now)[0]
    assert key not in ("", made.key)
    again = decision_queue.offer(SPOT_CHECK, study=study, user_id=eva.pk, now=now, first=key)
    assert (again[0].key, len(again)) == (key, 2)
    made.refresh_from_db()
    assert (made.code, made.revoked_at) == ("ok", now)
    assert decision_queue.last_of(SPOT_CHECK, study, eva.pk) == ""
    with pytest.raises(Conflict) as refused:
        deciding.undo(SPOT_CHECK, study=study, user=eva, key=made.key, now=now)
    assert refused.value.code == "already_revoked"
    store(study=study, user=eva, key=key, code="incomplete", now=now)
    made.item.refresh_from_db()
    assert (made.item.given, made.item.decisions.count()) == (1, 2)


def test_what_a_third_has_settled_stays(now: datetime, study: Study, eva: User, otto: User) -> None:
    one = decide(study, eva, now, "ok")
    decide_all(study, otto, now, lambda item: "incomplete" if item.pk == one.item_id else "")
    mia = expert("mia", study)
    settled = decide(study, mia, now, "ok")
    assert settled.adjudicates
    with pytest.raises(Conflict) as refused:
        deciding.undo(SPOT_CHECK, study=study, user=eva, key=one.key, now=now)
    assert refused.value.code == "adjudicated"
    deciding.undo(SPOT_CHECK, study=study, user=mia, key=settled.key, now=now)
    one.item.refresh_from_db()
    assert (one.item.state, one.item.outcome) == ("disputed", "")


def test_what_was_put_off_comes_last(now: datetime, study: Study, eva: User) -> None:
    card = offered(study, eva, now)
    assert card
    first = item_of(card)
    deciding.skip(SPOT_CHECK, study=study, user_id=eva.pk, key=card.key, now=now)
    order = [decide(study, eva, now, "ok" if n < 2 else "").item_id for n in range(4)]
    assert order[-1] == first.pk
    with pytest.raises(Conflict):
        deciding.skip(SPOT_CHECK, study=study, user_id=eva.pk, key=card.key, now=now)


def test_a_clip_withdrawn_or_deleted_meanwhile_is_not_decided(now: datetime, study: Study, eva: User) -> None:
    card = offered(study, eva, now)
    assert card
    item = item_of(card)
    changes.withdraw(clips=[card.clips[0][0].clip], now=now)
    with pytest.raises(Conflict) as refused:
        store(study=study, user=eva, key=card.key, code="ok", now=now)
    assert refused.value.code == "withdrawn"
    following = offered(study, eva, now)
    assert following
    assert item_of(following) != item
    changes.remove(clips=[following.clips[0][0].clip], now=now)
    with pytest.raises(Conflict):
        store(study=study, user=eva, key=following.key, code="ok", now=now)


def test_a_decision_outlives_the_clip_that_it_is_about(now: datetime, study: Study, eva: User) -> None:
    made = decide(study, eva, now, "incomplete")
    clip = Clip.objects.get(spot_clips__item=made.item)
    changes.remove(clips=[clip.pk], now=now)
    heard = made.item.clips.get()
    assert (heard.clip, heard.about["file"], made.shown["clips"]) == (None, clip.file, [clip.sha256])


def test_after_the_launch_nothing_is_decided_or_taken_back(now: datetime, study: Study, eva: User) -> None:
    made, card = decide(study, eva, now), offered(study, eva, now)
    assert card
    Study.objects.filter(pk=study.pk).update(state="live")
    for refuse in (
        lambda: store(study=study, user=eva, key=card.key, code="ok", now=now),
        lambda: deciding.undo(SPOT_CHECK, study=study, user=eva, key=made.key, now=now),
    ):
        with pytest.raises(Conflict) as refused:
            refuse()
        assert refused.value.code == "over"
    assert decision_queue.offer(SPOT_CHECK, study=study, user_id=eva.pk, now=now) == []


def test_as_many_experts_as_the_settings_say_decide_what_nobody_has_begun(
    now: datetime, study: Study, eva: User
) -> None:
    begun = decide(study, eva, now).item
    change(study, experts=1)
    spot_checking.fill(study=study)
    decide_all(study, eva, now)
    begun.refresh_from_db()
    assert (begun.state, begun.wanted) == ("open", 2)
    assert set(SpotItem.objects.exclude(pk=begun.pk).values_list("state", "given")) == {("done", 1)}


def test_progress_and_pace_are_counted(now: datetime, study: Study, eva: User, otto: User) -> None:
    decide_all(study, eva, now)
    decide(study, otto, now)
    found = decision_queue.pace(SPOT_CHECK, study, eva.pk, now + timedelta(minutes=1))
    assert (found.total, found.done, found.waiting, found.mine, found.today, found.seconds) == (4, 1, 0, 4, 4, 4.0)
