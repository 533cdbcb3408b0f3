"""A draft is tried with real people in a pilot, whose data are never the study's, and the other way round."""

from __future__ import annotations

from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from analysis.data.models import Simulated
from analysis.live import figures
from core import clock
from core.errors import Conflict, Invalid
from raters.models import Answer, Identity, Rater, Rating, Session
from raters.people.models import IdentityTerm
from raters.pilots import queries, services
from raters.privacy import erasing, retention
from raters.privacy import requests as privacy_requests
from studies.launch import pilots, states
from studies.members import access
from studies.members.models import Member
from studies.models import Clip, Pool, Study
from studies.rules.roles import Capability
from tests.researchers import logged_in, researcher, text, url
from tests.workspace.piloting import Pilot, come, exported, make


@pytest.fixture
def world(db: None, files: Path, now: datetime) -> Pilot:
    """A draft with a pilot that is running."""
    return make(now)


def test_a_pilot_opens_the_draft_as_it_is_under_a_link_and_codes_of_its_own(world: Pilot) -> None:
    draft, pilot = world.draft.study, world.pilot.study
    assert (draft.state, pilot.state, pilot.slug) == ("pilot", "live", f"{draft.slug}-pilot-1")
    assert pilot.owner is None
    assert pilot.definition.protocol == draft.definition.protocol
    codes = {pilot.definition.crowd.completion_code, draft.definition.crowd.completion_code}
    assert len(codes) == 2
    assert "MAIN1" in codes
    assert come(pilot, "ada").count("I have read this") == 1
    assert Session.objects.get().study == pilot
    assert Pool.objects.filter(cell__study=pilot, cell__simulated=False).exists()
    assert not Pool.objects.filter(cell__study=draft).exists()
    assert "no study at this address" in come(draft, "bob")


def test_a_study_is_not_launched_and_has_no_second_pilot_while_one_runs(world: Pilot) -> None:
    draft = world.draft.study
    for move in (
        lambda: states.launch(study=draft, now=world.draft.now),
        lambda: pilots.start(study=draft, raters=2, now=world.draft.now),
    ):
        with pytest.raises(Conflict, match="A pilot of this study is running"):
            move()
    pilots.end(study=draft)
    assert draft.state == "draft"
    assert Study.objects.get(pk=world.pilot.study.pk).state == "closed"
    with pytest.raises(Conflict, match="No pilot"):
        pilots.end(study=draft)
    second = pilots.start(study=draft, raters=2, now=world.draft.now)
    assert second.slug == f"{draft.slug}-pilot-2"
    pilots.end(study=draft)
    states.launch(study=draft, now=world.draft.now)
    assert draft.state == "live"
    with pytest.raises(Conflict, match="Only a draft"):
        pilots.start(study=draft, raters=2, now=world.draft.now)


def test_an_open_pilot_takes_colleagues_without_ids_and_keeps_their_answers_apart(world: Pilot) -> None:
    draft = world.draft.study
    pilots.end(study=draft)
    page = logged_in(world.rita)
    page.post(reverse("workspace:start_pilot", args=[draft.slug]), {"raters": 2, "open": "on"})
    pilot = pilots.running()[draft.pk]
    draft.refresh_from_db()
    assert (pilot.definition.crowd.source, draft.definition.crowd.source) == ("open", "prolific")
    colleague = Client()
    assert "PROLIFIC_PID" not in text(colleague.get(f"/s/{pilot.slug}/"))
    shown = text(colleague.post(f"/s/{pilot.slug}/", follow=True))
    assert "I have read this" in shown
    assert [session.study for session in Session.objects.all()] == [pilot]


def test_a_command_opens_a_pilot_to_colleagues(world: Pilot) -> None:
    draft = world.draft.study
    pilots.end(study=draft)
    call_command("start_pilot", draft.slug, "--open", stdout=StringIO())
    assert pilots.running()[draft.pk].definition.crowd.source == "open"


@pytest.mark.parametrize("raters", [0, -1, 501])
def test_an_impossible_number_of_raters_is_refused(world: Pilot, raters: int) -> None:
    pilots.end(study=world.draft.study)
    with pytest.raises(Invalid, match="1 to 500"):
        pilots.start(study=world.draft.study, raters=raters, now=world.draft.now)
    assert world.draft.study.state == "draft"


def test_what_would_block_a_launch_blocks_a_pilot(world: Pilot) -> None:
    pilots.end(study=world.draft.study)
    Clip.objects.filter(study=world.draft.study, role="test").update(withdrawn_at=world.draft.now)
    with pytest.raises(Conflict, match="There are no test clips"):
        pilots.start(study=world.draft.study, raters=2, now=world.draft.now)


def test_the_draft_changes_while_its_pilot_stays_as_it_was_started(world: Pilot) -> None:
    draft, pilot = world.draft.study, world.pilot.study
    wanted = pilot.definition.protocol.ratings_wanted
    states.change_settings(study=draft, changes={"protocol.ratings_wanted": wanted + 3})
    pilot.refresh_from_db()
    assert pilot.definition.protocol.ratings_wanted == wanted
    for refused in (
        lambda: states.change_settings(study=pilot, changes={"protocol.ratings_wanted": 9}),
        lambda: states.publish(study=pilot, now=world.draft.now),
        lambda: states.reopen(study=pilot),
    ):
        with pytest.raises(Conflict, match="A pilot stays as it was started"):
            refused()


def test_answers_of_a_pilot_are_in_nothing_of_the_study(world: Pilot) -> None:
    world.pilot.crowd(12)
    draft, pilot = world.launch(), world.pilot.study
    of_pilot = figures.compute(study_id=pilot.pk, simulated=Simulated.WITHOUT, now=world.draft.now)
    of_study = figures.compute(study_id=draft.pk, simulated=Simulated.WITH, now=world.draft.now)
    assert (of_pilot.people.arrived, of_study.people.arrived) == (12, 0)
    assert of_pilot.answers > 0 == of_study.answers
    assert of_pilot.coverage.usable > 0 == of_study.coverage.usable
    assert of_study.scores["system"] == ()
    files = exported(draft, world.rita, world.draft.now)
    assert len(files["ratings.csv"].splitlines()) == 1
    assert pilot.slug.encode() not in b"".join(files.values())
    browser = logged_in(world.rita)
    assert browser.get(f"/api/v1/studies/{draft.slug}/progress").json()["sessions"]["arrived"] == 0
    assert browser.get(f"/api/v1/studies/{draft.slug}/ratings").json()["results"] == []


def test_answers_of_the_study_are_in_nothing_of_its_pilot(world: Pilot) -> None:
    draft, pilot = world.launch(), world.pilot.study
    world.draft.crowd(12)
    of_pilot = figures.compute(study_id=pilot.pk, simulated=Simulated.WITH, now=world.draft.now)
    assert (of_pilot.people.arrived, of_pilot.answers, of_pilot.coverage.usable) == (0, 0, 0)
    assert len(exported(pilot, world.rita, world.draft.now)["ratings.csv"].splitlines()) == 1
    assert figures.compute(study_id=draft.pk, simulated=Simulated.WITHOUT, now=world.draft.now).people.arrived == 12


def test_lists_of_studies_show_the_study_and_not_its_pilot(world: Pilot) -> None:
    browser, pilot = logged_in(world.rita), world.pilot.study
    come(pilot, "ada")
    home = text(browser.get(reverse("workspace:home")))
    assert "0 of 3 raters have finished" in home
    assert f'href="{reverse("workspace:overview", args=[world.draft.study.slug])}"' in home
    assert home.count('<li class="card">') == 1
    slugs = [row["slug"] for row in browser.get("/api/v1/studies").json()["results"]]
    assert slugs == [world.draft.study.slug]
    assert browser.get(f"/api/v1/studies/{world.draft.study.slug}").json()["state"] == "pilot"
    changelist = text(browser.get(reverse("admin:studies_study_changelist")))
    assert world.draft.study.slug in changelist
    assert pilot.slug not in changelist
    assert browser.get(url("change", pilot.pk)).status_code == 302
    for name in ("launch", "clips", "members"):
        assert browser.get(url(name, pilot.slug)).status_code == 404, name
    assert browser.get(reverse("previews:dry_run", args=[pilot.slug])).status_code == 404


def test_every_page_of_a_pilot_says_that_it_is_one(world: Pilot) -> None:
    browser, pilot = logged_in(world.rita), world.pilot.study
    for name in ("workspace:overview", "workspace:recruit", "workspace:live", "analysis:study", "analysis:export"):
        page = text(browser.get(reverse(name, args=[pilot.slug])))
        assert "kept apart from the study’s data" in page, name
        assert "Back to the study" in page
        assert url("change", pilot.pk) not in page, name
    assert pilot.slug in text(browser.get(reverse("workspace:recruit", args=[pilot.slug])))


def test_roles_in_a_pilot_are_those_in_the_study_at_every_moment(world: Pilot) -> None:
    pilot, now = Study.objects.get(pk=world.pilot.study.pk), world.draft.now
    vera, otto = researcher("vera"), researcher("otto")
    page = reverse("workspace:live", args=[pilot.slug])
    assert logged_in(vera).get(page).status_code == 404
    member = Member.objects.create(study=world.draft.study, user=vera, role="viewer", added_at=now)
    assert logged_in(vera).get(page).status_code == 200
    assert logged_in(vera).post(reverse("workspace:end_pilot", args=[world.draft.study.slug])).status_code == 403
    assert logged_in(otto).post(reverse("workspace:start_pilot", args=[world.draft.study.slug])).status_code == 404
    assert pilot in access.visible(vera, Capability.SEE_SCORES)
    assert pilot not in access.visible(vera, Capability.CHANGE_STUDY)
    member.removed_at = now
    member.save()
    assert logged_in(vera).get(page).status_code == 404
    Study.objects.filter(pk=world.draft.study.pk).update(owner=otto)
    assert logged_in(otto).get(page).status_code == 200
    assert logged_in(world.rita).get(page).status_code == 404


def test_a_score_blinded_editor_sees_no_score_of_a_pilot_before_the_study_is_closed(world: Pilot) -> None:
    bela, pilot = researcher("bela"), world.pilot.study
    Member.objects.create(study=world.draft.study, user=bela, role="blinded", added_at=world.draft.now)

    def sees() -> set[bool]:
        study = Study.objects.get(pk=pilot.pk)
        return {access.may(study, bela, Capability.SEE_SCORES), study in access.visible(bela, Capability.SEE_SCORES)}

    assert sees() == {False}
    main = world.launch()
    assert sees() == {False}
    states.close(study=main)
    assert sees() == {True}


def test_who_took_part_in_a_pilot_cannot_take_part_in_the_study(world: Pilot) -> None:
    come(world.pilot.study, "ada")
    come(world.pilot.study, "dora", agrees=False)
    main = world.launch()
    assert "You have already taken part" in come(main, "ada")
    assert "I have read this" in come(main, "bob")
    assert "I have read this" in come(main, "dora")
    assert Session.objects.filter(study=main).count() == 2


def test_who_took_part_in_one_pilot_cannot_take_part_in_the_next(world: Pilot) -> None:
    come(world.pilot.study, "ada")
    pilots.end(study=world.draft.study)
    second = pilots.start(study=world.draft.study, raters=2, now=world.draft.now)
    assert "You have already taken part" in come(second, "ada")
    assert "I have read this" in come(second, "bob")


def test_a_pilot_ends_by_itself_when_enough_people_have_finished(world: Pilot) -> None:
    for _person in range(2):
        world.pilot.session(outcome="complete")
    world.pilot.session(outcome="withdrawn")
    world.pilot.session(outcome="complete", simulated=True)
    assert services.end_full(now=world.draft.now) == 0
    world.pilot.session(outcome="complete")
    assert services.end_full(now=world.draft.now) == 1
    world.draft.study.refresh_from_db()
    assert (world.draft.study.state, Study.objects.get(pk=world.pilot.study.pk).state) == ("draft", "closed")
    assert services.end_full(now=world.draft.now) == 0


def test_the_panel_counts_what_happened_in_the_pilot(world: Pilot) -> None:
    good, bad = world.pilot.session(outcome="complete"), world.pilot.session(outcome="complete")
    clip, trap = world.pilot.clips("alpha")[0], {"flawed": 1, "flawed_right": 1, "humans": 2, "human_right": 1}
    for session, valid in ((good, True), (bad, False)):
        batch = world.pilot.batch(session, valid=valid)
        world.pilot.rate(batch, clip, "human")
        batch.trap_counts = trap
        batch.save()
    world.pilot.session()
    good.responses.create(version=good.version, key="comment", words="Volume <b>jumped</b>", at=world.draft.now)
    shown = queries.figures(world.pilot.study)
    assert (shown.arrived, shown.finished, shown.wanted, shown.minutes) == (3, 2, 3, 6.0)
    assert (shown.traps, shown.traps_passed, shown.excluded) == (6, 4, 1)
    for page in (reverse("workspace:overview", args=[world.draft.study.slug]), url("launch", world.draft.study.slug)):
        panel = text(logged_in(world.rita).get(page))
        assert "2 of 3" in panel
        assert "Volume &lt;b&gt;jumped" in panel
        assert "End pilot" in panel


def test_an_erasure_reaches_the_answers_in_a_pilot(world: Pilot) -> None:
    world.pilot.rate(world.pilot.batch(world.pilot.session()), world.pilot.clips("alpha")[0], "human")
    asked = privacy_requests.erase_person(rater_id=Rater.objects.get().pk, now=clock.now(), by=world.rita)
    assert erasing.carry_out(pk=asked.pk, clock=clock.now)
    assert not Answer.objects.exists()
    assert not Rating.objects.exists()


def test_people_of_a_pilot_stay_known_until_the_study_itself_is_closed(world: Pilot) -> None:
    come(world.pilot.study, "ada")
    main = world.launch()
    retention.delete_due_ids(now=clock.now())
    assert not IdentityTerm.objects.exists()
    retention.delete_due_ids(now=clock.now() + timedelta(days=4000))
    assert Identity.objects.exists()
    states.close(study=main)
    retention.delete_due_ids(now=clock.now())
    retention.delete_due_ids(now=clock.now() + timedelta(days=4000))
    assert not Identity.objects.exists()


def test_commands_start_and_end_a_pilot(world: Pilot) -> None:
    slug = world.draft.study.slug
    out = StringIO()
    call_command("end_pilot", slug, stdout=out)
    assert f"Pilot 1 of {slug} has ended" in out.getvalue()
    call_command("start_pilot", slug, "--raters", "4", stdout=out)
    assert f"Pilot 2 of {slug} is live: {slug}-pilot-2" in out.getvalue()
    assert Study.objects.get(slug=f"{slug}-pilot-2").pilot_raters == 4
    with pytest.raises(CommandError, match="is running"):
        call_command("start_pilot", slug)
    with pytest.raises(CommandError, match="There is no study"):
        call_command("end_pilot", "nowhere")
