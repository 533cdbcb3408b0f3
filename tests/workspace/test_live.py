"""The Live page: what can be done there, and by whom."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core import jobs
from raters.models import Batch, Session, Verdict
from studies.launch.states import change_settings
from studies.members.models import Member
from studies.models import Pool, Study
from studies.summaries import services as summaries
from studies.summaries.models import Summary
from tests import figures
from tests.analysis.world import World
from tests.researchers import logged_in, researcher
from workspace.live import dropped, excluded, money


def live(client: Client, study: Study) -> str:
    response = client.get(reverse("workspace:live", args=[study.slug]))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def computed(client: Client, world: World) -> str:
    """Return the page after its figures were computed."""
    figures.compute(world.study, world.now)
    return live(client, world.study)


def member(world: World, role: str) -> Client:
    user = researcher(role)
    Member.objects.create(study=world.study, user=user, role=role, added_at=world.now)
    return logged_in(user)


def move(client: Client, study: Study, name: str, back: str) -> str:
    response = client.post(reverse("studies:move", args=[study.slug, name]), {"next": back})
    assert response.status_code == 302
    return str(response["Location"])


def test_a_move_returns_to_the_page_that_it_was_made_on(world: World, owner: User) -> None:
    client, address = logged_in(owner), reverse("workspace:live", args=[world.study.slug])

    assert move(client, world.study, "pause", address) == address

    world.study.refresh_from_db()
    assert world.study.state == "paused"
    shown = live(client, world.study)
    assert "The study is paused." in shown
    assert "Resume study" in shown


@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)"])
def test_a_move_leads_to_no_other_server(world: World, owner: User, back: str) -> None:
    launch = reverse("studies:launch", args=[world.study.slug])

    assert move(logged_in(owner), world.study, "pause", back) == launch


@pytest.mark.parametrize(
    ("role", "buttons"), [("viewer", []), ("blinded", ["Pause study"]), ("editor", ["Pause study"])]
)
def test_members_see_only_the_buttons_that_they_may_use(
    world: World, owner: User, role: str, buttons: list[str]
) -> None:
    shown = live(member(world, role), world.study)

    assert [name for name in ("Pause study", "Close study") if name in shown] == buttons


def batches(world: World, taken: int, kept: int) -> None:
    for number in range(kept + taken):
        batch = world.batch(world.session(), valid=number < kept)
        Batch.objects.filter(pk=batch.pk).update(ended_at=world.now + timedelta(minutes=number))


def test_the_live_page_counts_the_batches_that_each_rule_excludes(world: World, owner: User) -> None:
    batches(world, taken=1, kept=3)
    world.exclude("golden", session=Session.objects.order_by("pk")[0])
    simulated = world.batch(world.session(simulated=True), valid=False)
    assert simulated.valid is False

    shown = [(bar.label, bar.count, bar.of) for bar in excluded(world.study.pk).bars]

    assert shown == [
        ("not excluded by any rule", 2, 4),
        ("rater failed a golden question, or met none", 1, 4),
        ("batch failed its traps", 1, 4),
    ]


def test_revoked_verdicts_exclude_nothing(world: World, owner: User) -> None:
    verdict = world.exclude("golden", batch=world.batch(world.session()))
    Verdict.objects.filter(pk=verdict.pk).update(revoked_at=world.now)

    assert [bar.label for bar in excluded(world.study.pk).bars] == ["not excluded by any rule"]


def test_the_live_page_warns_when_a_rule_suddenly_takes_everybody(world: World, owner: User) -> None:
    batches(world, taken=10, kept=10)

    shown = computed(logged_in(owner), world)

    assert "excluded 10 of the last 10 finished batches, but only 0 of the 10 before them." in shown


def test_the_exclusions_take_two_queries_however_many_there_are(
    world: World, owner: User, django_assert_num_queries: Any
) -> None:
    batches(world, taken=15, kept=15)

    with django_assert_num_queries(2):
        excluded(world.study.pk)


def test_simulated_raters_are_named_on_the_live_page_and_not_counted(world: World, owner: User) -> None:
    world.crowd(3, simulated=True)
    shown = computed(logged_in(owner), world)
    assert "3 simulated raters are not counted here." in shown
    assert f"{reverse('analysis:study', args=[world.study.slug])}?simulated=only" in shown
    assert "Nobody has come yet" in shown


def test_a_test_run_is_named_as_one_on_the_live_page(world: World, owner: User) -> None:
    world.session(simulated=True)
    Session.objects.update(preview=True)
    shown = computed(logged_in(owner), world)
    assert "1 test run is not counted here." in shown
    assert "simulated rater" not in shown


def test_the_live_page_counts_who_got_past_each_page(world: World, owner: User) -> None:
    at_information, at_checks, at_instructions, at_clips, answering, asked, done = (
        world.session(outcome="complete" if number > 4 else "") for number in range(7)
    )
    world.session(simulated=True)
    clip = world.clips("alpha")[0]
    for session in (answering, asked, done):
        world.rate(world.batch(session), clip, "human")
    steps = {at_information: "consent", at_checks: "checks", at_instructions: "instructions", asked: "questions"}
    for session, step in steps.items():
        Session.objects.filter(pk=session.pk).update(step=step)
    before_clips = [at_information.pk, at_checks.pk, at_instructions.pk]
    Session.objects.filter(pk__in=before_clips).update(started_at=None)
    Session.objects.filter(pk=at_information.pk).update(consented_at=None)
    assert at_clips.step == "rating"

    bars = dropped(world.study.pk)

    assert [(bar.count, bar.of) for bar in bars] == [(count, 7) for count in (7, 6, 5, 4, 3, 2, 1)]
    assert bars[0].note == "1 got no further until now"
    assert bars[-1].note == ""


def test_the_pay_per_hour_is_that_of_those_who_finished(world: World, owner: User) -> None:
    world.study.draft["payment"] = {"rate": 1.5, "currency": "EUR", "hourly_least": 16}
    for _number in range(2):
        session = world.session(outcome="complete")
        Session.objects.filter(pk=session.pk).update(payable=True)
    world.session()

    shown = money(world.study)

    # 1.50 for six minutes.
    assert (shown.hour, shown.people, shown.is_below) == ("15.00 EUR", 2, True)


def test_before_anybody_has_finished_the_live_page_does_not_ask_for_a_pay_that_is_set(
    world: World, owner: User
) -> None:
    change_settings(study=world.study, changes={"payment.rate": 1.5})

    shown = computed(logged_in(owner), world)

    assert "The pay per hour appears once the first person has finished" in shown
    assert "once the pay is set" not in shown


def test_without_a_pay_the_live_page_says_what_is_missing(world: World, owner: User) -> None:
    shown = computed(logged_in(owner), world)

    assert "The pay per hour appears once the pay is set" in shown
    assert "Too early to say" in shown


def ask_for(client: Client, study: Study, wanted: str) -> str:
    response = client.post(reverse("workspace:raise_ratings", args=[study.slug]), {"wanted": wanted}, follow=True)
    assert response.status_code == 200
    study.refresh_from_db()
    return re.sub(r"\s+", " ", html.unescape(response.content.decode()))


def test_raising_the_ratings_wanted_publishes_and_logs_a_version(world: World, owner: User) -> None:
    before = world.study.definition.protocol.ratings_wanted

    shown = ask_for(logged_in(owner), world.study, str(before + 2))

    assert f"Version 2 is published: each test clip now wants {before + 2} ratings." in shown
    assert world.study.versions.count() == 2
    places = Pool.objects.filter(cell__study=world.study, cell__role="test", wanted__gt=0)
    assert set(places.values_list("wanted", flat=True)) == {before + 2}
    [entry] = LogEntry.objects.filter(object_id=str(world.study.pk))
    assert "Version 2 is published" in entry.get_change_message()


def test_raising_is_refused_while_the_draft_has_other_changes(world: World, owner: User) -> None:
    change_settings(study=world.study, changes={"protocol.batches_per_session": 7})
    before = world.study.definition.protocol.ratings_wanted

    shown = ask_for(logged_in(owner), world.study, str(before + 2))

    assert "The draft has other changes that are not published yet." in shown
    assert world.study.versions.count() == 1
    assert world.study.definition.protocol.ratings_wanted == before


@pytest.mark.parametrize("wanted", ["", "many", "0", "1", "100000"])
def test_a_number_that_is_not_higher_or_far_too_high_changes_nothing(world: World, owner: User, wanted: str) -> None:
    before = world.study.definition.protocol.ratings_wanted

    ask_for(logged_in(owner), world.study, wanted)

    assert world.study.versions.count() == 1
    assert world.study.definition.protocol.ratings_wanted == before


@pytest.mark.parametrize(("role", "may_raise"), [("viewer", False), ("blinded", True)])
def test_viewer_and_blinded_see_the_page_without_scores(world: World, owner: User, role: str, may_raise: bool) -> None:
    shown = computed(member(world, role), world)

    assert 'id="dropped-title"' in shown
    assert "scores-title" not in shown
    assert ("Raise the number" in shown) is may_raise


def test_in_a_large_study_a_worker_reads_all_sessions_for_the_page(
    world: World, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.crowd(3)
    client = logged_in(owner)
    small = computed(client, world)
    assert "Drop-out by page" in small
    monkeypatch.setattr(summaries, "QUICK", 2)
    assert "Drop-out by page" not in live(client, world.study)
    for row in Summary.objects.filter(state=jobs.QUEUED):
        assert summaries.refresh(pk=row.pk, clock=lambda: world.now)
    large = live(client, world.study)
    assert without(large, "As of") == without(small, "As of")


def without(page: str, stamp: str) -> str:
    """Return a page without its stamp of time and its tokens."""
    return re.sub(rf'<p class="quiet stamp">{stamp}.*?</p>|value="\w{{64}}"| ', "", page)
