"""A clip that can't be played is reported and skipped: it costs its rater nothing, and its place goes to others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from core.errors import Conflict, NotFound, StoreAway
from raters.models import Answer, Batch, ClipFailure, Session, Trial, TrialClip
from raters.rating import batches, ratings, skipping, verdicts
from raters.rating.skipping import failing
from studies.launch import checks
from studies.models import Clip, Pool, Study
from tests.world import Person, audio_url, carry, make_study

pytestmark = pytest.mark.django_db


def skip(person: Person) -> None:
    """Report the current clip, and look at what comes next."""
    key = person.current.trial.clips[0].key
    person.page, filled = skipping.skip(
        session_id=person.session.pk, key=key, tab=person.current.tab, now=person.now, rng=person.rng
    )
    if filled is not None:
        person.filled.append(filled)


def go_through(person: Person, skips: Callable[[Person], bool]) -> Batch:
    """Go to the end of the batch, attentively; returns it once it is decided."""
    batch = person.current.batch
    while not person.is_done and person.current.batch == batch:
        if skips(person):
            skip(person)
        else:
            person.rate({"trap_flawed": "machine"}.get(person.role, "human"))
    pk = person.filled[-1]
    batches.validate(pk=pk, now=person.now)
    return Batch.objects.get(pk=pk)


def take(roles: list[str]) -> Callable[[Person], bool]:
    """Skip as many trials of these roles as are listed."""
    left = list(roles)

    def skips(person: Person) -> bool:
        if person.role not in left:
            return False
        left.remove(person.role)
        return True

    return skips


@pytest.fixture
def person(now: datetime) -> Person:
    return Person(make_study(now=now, texts=24), now).start()


def current(person: Person) -> Trial:
    return Trial.objects.get(token=person.current.trial.token)


def until(person: Person, role: str) -> None:
    while person.role != role:
        person.rate({"trap_flawed": "machine"}.get(person.role, "human"))


def test_a_skipped_clip_has_no_answer_gives_its_place_back_and_the_next_is_shown(person: Person) -> None:
    until(person, "test")
    trial = current(person)
    assert Pool.objects.get(trials=trial).taken == 1
    skip(person)
    trial.refresh_from_db()
    assert (trial.skipped_at, trial.answered_at, trial.usable, trial.holds) == (person.now, None, None, False)
    assert Pool.objects.get(trials=trial).taken == 0
    assert person.current.trial.position == trial.position + 1
    assert not Answer.objects.filter(trial=trial).exists()
    failure = ClipFailure.objects.get()
    assert (failure.trial, failure.sent_whole) == (trial, False)


def test_it_comes_to_others_and_not_to_the_same_person_again(person: Person, now: datetime) -> None:
    until(person, "test")
    item = current(person).item_id
    batch = go_through(person, take(["test"]))
    assert (batch.state, batch.valid) == ("done", True)
    assert Trial.objects.filter(batch=batch, usable=True).count() == 9
    while not person.is_done:
        person.rate_batch()
    assert Trial.objects.filter(rater=person.session.rater_id, item=item).count() == 1
    # The least-rated come first: everything else of this study has been rated once.
    others = [Person(person.study, now).start() for _ in range(12)]
    assert Trial.objects.filter(item=item, session__in=[other.session for other in others]).exists()


@pytest.mark.parametrize("role", ["trap_human", "test"])
def test_a_batch_with_a_skipped_clip_is_decided_by_the_traps_that_were_heard(person: Person, role: str) -> None:
    batch = go_through(person, take([role]))
    assert batch.valid is True
    assert batch.trap_counts["humans"] == (1 if role == "trap_human" else 2)


def test_a_batch_whose_traps_could_not_be_heard_is_not_used_and_is_no_fault_of_the_rater(
    now: datetime,
) -> None:
    person = Person(make_study(now=now, texts=24, protocol__stop_after_invalid=1), now).start()
    batch = go_through(person, take(["trap_flawed"]))
    assert (batch.state, batch.valid) == ("done", None)
    assert not Trial.objects.filter(batch=batch, usable=True).exists()
    assert not Trial.objects.filter(batch=batch, holds=True).exists()
    assert ratings.reasons(person.study.pk)["batch"] == {batch.pk: ["traps_missing"]}
    # It doesn't count as one that was failed, so that the session goes on and is paid.
    assert person.current.batch == 2
    while not person.is_done:
        person.rate_batch()
    session = Session.objects.get(pk=person.session.pk)
    assert (session.outcome, session.payable) == ("complete", True)
    # Somebody may decide that the answers are good all the same.
    verdicts.revoke(verdict_id=batch.verdicts.get().pk, by=None, now=now)
    assert Trial.objects.filter(batch=batch, usable=True).count() == 9


def test_the_last_clip_of_a_batch_can_be_skipped_too(person: Person) -> None:
    batch = go_through(person, lambda here: here.current.trial.position == 10 and here.current.batch == 1)
    assert batch.trials.get(position=10).skipped_at is not None
    assert batch.state == "done"
    assert person.current.batch == 2


def test_the_same_report_twice_skips_one_clip(person: Person) -> None:
    until(person, "test")
    key, tab = person.current.trial.clips[0].key, person.current.tab
    for _ in range(2):
        page, filled = skipping.skip(session_id=person.session.pk, key=key, tab=tab, now=person.now, rng=Random(1))
        assert filled is None
    assert page == skipping.skip(session_id=person.session.pk, key=key, tab=tab, now=person.now, rng=Random(1))[0]
    assert ClipFailure.objects.count() == 1


def test_what_was_skipped_takes_no_answer_any_more(person: Person) -> None:
    person.fetch()
    person.play()
    person.wait(5)
    late = person.submission()
    skip(person)
    with pytest.raises(Conflict, match="answered already"):
        person.send(late)
    assert not Answer.objects.exists()


def test_only_the_clip_that_is_shown_can_be_skipped_and_only_ones_own(person: Person, now: datetime) -> None:
    def ask(key: str, tab: str) -> None:
        skipping.skip(session_id=person.session.pk, key=key, tab=tab, now=now, rng=Random(1))

    later = TrialClip.objects.get(trial__session=person.session, trial__position=2).key
    with pytest.raises(Conflict, match="Another clip comes first"):
        ask(later, person.current.tab)
    stranger = Person(person.study, now).start()
    with pytest.raises(NotFound):
        ask(stranger.current.trial.clips[0].key, person.current.tab)
    with pytest.raises(Conflict, match="another tab"):
        ask(person.current.trial.clips[0].key, "an older one")
    assert not ClipFailure.objects.exists()


def test_whoever_can_play_hardly_anything_ends_as_a_technical_failure(person: Person) -> None:
    for _ in range(skipping.MOST):
        assert not person.is_done
        skip(person)
    assert person.is_done
    session = Session.objects.get(pk=person.session.pk)
    # Nobody is refused pay by a program: a person decides.
    assert (session.outcome, session.payable) == ("technical_failure", None)
    assert not Trial.objects.filter(session=session, holds=True).exists()
    skipping_again = skipping.skip(
        session_id=session.pk,
        key=TrialClip.objects.filter(trial__session=session)[0].key,
        tab=session.tab,
        now=person.now,
        rng=Random(1),
    )
    assert skipping_again[1] is None


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a store that doesn't answer."""

    def fail(name: str, mode: str = "rb") -> None:
        raise StoreAway("Could not connect to the endpoint URL")

    monkeypatch.setattr(default_storage, "open", fail)


@pytest.mark.usefixtures("away")
def test_while_the_store_is_away_no_clip_is_reported_and_no_session_ends(person: Person) -> None:
    for _ in range(skipping.MOST):
        with pytest.raises(Conflict, match="can’t be loaded at the moment") as refused:
            skip(person)
    # The page says then that the server can't be reached, and keeps the clip.
    assert refused.value.code == "busy"
    assert not ClipFailure.objects.exists()
    assert current(person).skipped_at is None
    # What was sent whole came from a store that answered: the browser can't play it.
    person.fetch()
    skip(person)
    assert ClipFailure.objects.get().sent_whole


def test_a_clip_whose_file_is_gone_can_be_skipped(person: Person) -> None:
    Clip.objects.filter(study=person.study).update(rendition="renditions/00/gone")
    skip(person)
    assert ClipFailure.objects.count() == 1


def test_the_skip_that_is_one_too_many_keeps_the_batch_that_it_completes(now: datetime) -> None:
    for batches_wanted, outcome in ((2, "technical_failure"), (1, "complete")):
        study = make_study(now=now, texts=24, protocol__batches_per_session=batches_wanted)
        person = Person(study, now).start()
        batch = go_through(person, lambda here: here.current.trial.position > 10 - skipping.MOST)
        assert Session.objects.get(pk=person.session.pk).outcome == outcome
        assert (batch.state, batch.trials.filter(skipped_at=None).count()) == ("done", 10 - skipping.MOST)


def report(study: Study, clip: Clip, people: int, now: datetime, *, fetched: bool = False) -> None:
    """Let people report a clip whenever they come to it."""
    for _ in range(people):
        person = Person(study, now).start()
        while not TrialClip.objects.filter(trial__token=person.current.trial.token, clip=clip).exists():
            person.rate()
        if fetched:
            person.fetch()
        skip(person)


def test_the_researcher_is_told_of_a_clip_that_several_people_could_not_play(
    now: datetime, files: Path, admin_client: Client
) -> None:
    study = make_study(now=now, systems=("alpha",), texts=7, flawed=2, humans=4)
    bad = Clip.objects.get(study=study, file="alpha/0.wav")
    report(study, bad, 1, now, fetched=True)
    assert failing(study.pk) == []
    page = f"/studies/{study.slug}/results/"
    assert "could not play" not in admin_client.get(page).text
    report(study, bad, 1, now)
    assert failing(study.pk) == [("alpha/0.wav", 2, 1)]
    told = admin_client.get(page).text
    assert "Clips that raters could not play" in told
    assert "2 people skipped it; 1 had received all of it" in " ".join(told.split())
    warnings = [finding.message for finding in checks.findings(study) if finding.level == "warning"]
    assert any("2 raters could not play alpha/0.wav" in message for message in warnings)
    Clip.objects.filter(pk=bad.pk).update(withdrawn_at=now)
    assert failing(study.pk) == []


def test_the_endpoint_skips_shows_the_next_and_closes_the_sound(now: datetime, files: Path) -> None:
    from core import clock

    person = Person(make_study(now=clock.now(), texts=24), clock.now()).start()
    client: Any = carry(person)
    sound, slug = audio_url(person), person.study.slug
    key = person.current.trial.clips[0].key
    tab = {"tab": person.current.tab}
    assert client.get(sound).status_code == 200
    reply = client.post(f"/rate/{slug}/api/failed/{key}", tab, content_type="application/json")
    assert (reply.status_code, reply.json()["position"]) == (200, 2)
    assert client.get(sound).status_code == 404
    # The next one and the one after it are open, as always.
    for position, status in ((2, 200), (3, 200), (4, 404)):
        other = TrialClip.objects.get(trial__session=person.session, trial__position=position).key
        assert client.get(f"/rate/{slug}/audio/{other}").status_code == status
    played = client.post(f"/rate/{slug}/api/played/{key}", tab, content_type="application/json")
    assert (played.status_code, played.json()["error"]) == (409, "not_current")
    assert client.post(f"/rate/{slug}/api/failed/nothing", tab, content_type="application/json").status_code == 404
    assert client.get(f"/rate/{slug}/api/failed/{key}").status_code == 405
