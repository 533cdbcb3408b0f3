"""The home page and a study's frame: what they name as the next step, and for whom."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.live import stored
from core import clock
from core.findings import PROBLEM
from core.models import Sweep
from core.operations import doctor, health
from raters.models import PlatformStudy, Session, Submission
from studies.corpus import services
from studies.drafting.models import Draft, DraftDecision, DraftPrompt, DraftQuestion, DraftRun
from studies.members.models import Member
from studies.models import Clip, ClipImport, Pool, Study, StudyVersion
from tests import figures
from tests.analysis.world import World
from tests.researchers import logged_in, researcher
from tests.studies.drafting.material import passages
from tests.studies.imports.helpers import draft
from workspace.frame import next_step
from workspace.tabs import Group, groups


def page(client: Client, name: str, study: Study | None = None) -> str:
    response = client.get(reverse(f"workspace:{name}", args=[study.slug] if study else []))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def _labels(shown: list[Group]) -> list[str]:
    return [tab.label for group in shown for tab in group.tabs]


def share(study: Study, user: User, role: str, now: datetime) -> None:
    Member.objects.create(study=study, user=user, role=role, added_at=now)


@pytest.mark.parametrize(
    ("state", "label", "address"),
    [
        ("draft", "Check & launch", "launch/"),
        ("live", "Watch", "live/"),
        ("paused", "Resume or close", "launch/"),
        ("closed", "See the results", "results/"),
    ],
)
def test_each_state_of_a_study_has_its_next_step(
    world: World, owner: User, state: str, label: str, address: str
) -> None:
    world.study.state = state
    world.session()

    step = next_step(world.study, owner)

    assert (step.label, step.url.endswith(address)) == (label, True)


def test_a_live_study_without_raters_needs_its_link_given_to_them(world: World, owner: User) -> None:
    world.study.state = Study.State.LIVE
    world.session()
    Session.objects.update(simulated=True)

    step = next_step(world.study, owner)

    assert (step.label, step.url.endswith("recruit/")) == ("Recruit raters", True)


def test_the_header_leads_to_the_next_step_from_every_other_page(world: World, owner: User) -> None:
    client = logged_in(owner)
    Study.objects.update(state="draft", launched_at=None)
    button = f'<a class="button" href="{reverse("studies:launch", args=[world.study.slug])}">Check &amp; launch</a>'

    for name, has_button in (("design", True), ("clips", True), ("launch", False)):
        shown = client.get(reverse(f"studies:{name}", args=[world.study.slug])).content.decode()
        assert (button in shown) is has_button


def test_a_full_study_says_so_on_home_overview_and_recruit(world: World, owner: User) -> None:
    client = logged_in(owner)
    says = "The study is full"
    names: list[tuple[str, Study | None]] = [("home", None), ("overview", world.study), ("recruit", world.study)]
    assert [says in page(client, name, study) for name, study in names] == [False] * 3

    Pool.objects.filter(cell__study=world.study).update(taken=F("wanted"))
    assert [says in page(client, name, study) for name, study in names] == [True] * 3

    Study.objects.filter(pk=world.study.pk).update(state=Study.State.CLOSED)
    assert [says in page(client, name, study) for name, study in names] == [False] * 3


def test_a_draft_without_clips_asks_for_clips_first(world: World, owner: User) -> None:
    world.study.state = Study.State.DRAFT
    Clip.objects.filter(study=world.study).update(withdrawn_at=world.now)

    assert next_step(world.study, owner).label == "Add clips"


def test_a_payer_is_sent_to_the_payments_and_sees_no_other_tab_than_they_may_open(world: World, owner: User) -> None:
    payer = researcher("paula")
    share(world.study, payer, "payer", world.now)

    assert next_step(world.study, payer).url.endswith("/paying/")
    assert _labels(groups(world.study, payer, "overview")) == ["Overview", "Payments", "Export"]
    assert "About this study" not in page(logged_in(payer), "overview", world.study)


def test_the_home_page_shows_how_far_each_study_is_and_nothing_of_those_of_others(world: World, owner: User) -> None:
    figures.compute(world.study, world.now)
    coverage = stored.figures_of([world.study.pk])[world.study.pk].coverage

    mine, theirs = page(logged_in(owner), "home"), page(logged_in(researcher("otto")), "home")

    assert world.study.title in mine
    assert f"{coverage.filled} of {coverage.wanted} ratings wanted" in mine
    assert world.study.title not in theirs
    assert "You have no studies yet" in theirs


def test_the_progress_of_a_study_with_simulated_raters_only_says_so(world: World, owner: User) -> None:
    world.session(simulated=True)
    for name, study in (("home", ()), ("overview", (world.study,))):
        shown = page(logged_in(owner), name, *study)
        assert "Only 1 simulated rater, who doesn’t count" in shown
        assert "ratings wanted" not in shown
    world.session()
    figures.compute(world.study, world.now)
    assert "simulated rater" not in page(logged_in(owner), "home")


def test_a_test_run_is_counted_as_one_and_not_as_a_simulated_rater(world: World, owner: User) -> None:
    world.session(simulated=True)
    Session.objects.update(preview=True)
    for name, study in (("home", ()), ("overview", (world.study,))):
        shown = page(logged_in(owner), name, *study)
        assert "1 test run, which doesn’t count" in shown
        assert "simulated rater" not in shown
    world.crowd(2, simulated=True)
    shown = page(logged_in(owner), "home")
    assert "Only 2 simulated raters, who don’t count" in shown
    assert "1 test run, which doesn’t count" in shown


def test_the_overview_of_a_study_is_for_those_who_have_a_role_in_it(world: World, owner: User) -> None:
    address = reverse("workspace:overview", args=[world.study.slug])

    assert logged_in(researcher("otto")).get(address).status_code == 404
    assert logged_in(owner).get(address).status_code == 200
    assert logged_in(owner).get(reverse("workspace:overview", args=["nothing"])).status_code == 404
    assert Client().get(address).status_code == 302


def test_the_recruit_page_gives_the_link_for_raters(world: World, owner: User) -> None:
    assert reverse("raters:arrive", args=[world.study.slug]) in page(logged_in(owner), "recruit", world.study)


def test_the_overview_of_a_draft_says_which_steps_to_the_launch_are_done(world: World, owner: User) -> None:
    Study.objects.filter(pk=world.study.pk).update(state=Study.State.DRAFT, launched_at=None)

    shown = re.sub(r"<[^>]+>", "", page(logged_in(owner), "overview", world.study))

    assert re.search(r"Clips\s+✓ done", shown)
    assert re.search(r"Check &amp; launch\s+to do", shown)


# The best system with its interval, and human speech.
SCORES = re.compile(r'class="ws-score"[^>]*>(?:(?:alpha|beta) 0?\.\d+ \[|Human 0?\.\d+)')


def rated(world: World) -> None:
    """Let a crowd rate, and compute the figures."""
    world.crowd(20)
    figures.compute(world.study, world.now)


def test_the_home_page_shows_the_best_score_but_none_while_scores_are_hidden(world: World, owner: User) -> None:
    rated(world)
    assert len(SCORES.findall(page(logged_in(owner), "home"))) == 2

    version = StudyVersion.objects.get(study=world.study)
    version.definition["results"]["hide_scores"] = True
    version.save()

    assert not SCORES.search(page(logged_in(owner), "home"))


def test_someone_whose_role_hides_scores_sees_none_on_the_home_page(world: World, owner: User) -> None:
    rated(world)
    blinded = researcher("bill")
    share(world.study, blinded, "blinded", world.now)

    shown = page(logged_in(blinded), "home")

    assert world.study.title in shown
    assert not SCORES.search(shown)


def linked(world: World) -> PlatformStudy:
    return PlatformStudy.objects.create(study=world.study, ext_study="ext", added_at=world.now, queued_at=world.now)


def waiting(platform: PlatformStudy, number: int) -> None:
    Submission.objects.create(
        platform=platform, ext_session=str(number), state="awaiting_review", seen_at=platform.added_at
    )


def test_the_home_page_lists_submissions_that_wait_and_links_to_the_payments(world: World, owner: User) -> None:
    assert "Nothing waits for you" in page(logged_in(owner), "home")
    platform = linked(world)
    for number in range(2):
        Submission.objects.create(
            platform=platform, ext_session=str(number), state="awaiting_review", seen_at=world.now
        )

    shown = page(logged_in(owner), "home")

    assert "2 submissions to review" in shown
    assert reverse("paying:overview", args=[world.study.slug]) in shown


def test_a_viewer_is_not_told_of_submissions(world: World, owner: User) -> None:
    viewer = researcher("vera")
    share(world.study, viewer, "viewer", world.now)
    platform = linked(world)
    waiting(platform, 1)

    assert "Nothing waits for you" in page(logged_in(viewer), "home")


def test_a_failed_import_of_a_draft_needs_its_researcher_until_another_one_succeeds(world: World, owner: User) -> None:
    Study.objects.filter(pk=world.study.pk).update(state=Study.State.DRAFT)
    ClipImport.objects.create(study=world.study, state="failed", queued_at=world.now, created_at=world.now)
    assert "An import of clips failed" in page(logged_in(owner), "home")

    ClipImport.objects.create(study=world.study, state="done", queued_at=world.now, created_at=world.now)

    assert "An import of clips failed" not in page(logged_in(owner), "home")


def test_a_part_of_the_server_that_fails_is_named(world: World, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "parts", lambda: {"database": True, "files": False})
    shown = page(logged_in(owner), "home")
    assert "A part of the server does not work:</strong> files." in shown

    monkeypatch.setattr(health, "parts", lambda: {"database": True, "files": True})
    assert "All parts work." in page(logged_in(owner), "home")


@pytest.mark.parametrize("minutes", [None, 1, 3])
def test_home_and_system_status_agree_on_a_stopped_worker(
    world: World, owner: User, monkeypatch: pytest.MonkeyPatch, minutes: int | None
) -> None:
    monkeypatch.setattr(health, "STARTED", time.monotonic())
    if minutes is not None:
        Sweep.objects.create(pk=1, at=clock.now() - timedelta(minutes=minutes))
    (finding,) = doctor.worker()
    assert (finding.state == PROBLEM) == (minutes == 3)
    assert ("work:</strong> worker." in page(logged_in(owner), "home")) == (minutes == 3)


def test_many_studies_can_be_searched_by_title_and_address(world: World, owner: User) -> None:
    assert 'type="search"' not in page(logged_in(owner), "home")
    for number in range(8):
        Study.objects.create(slug=f"corpus-{number}", title=f"Zebra {number}", draft=world.study.draft, owner=owner)
    client = logged_in(owner)
    assert 'type="search"' in page(client, "home")

    shown = re.sub(r"\s+", " ", client.get(reverse("workspace:home"), {"q": "zebra -3"}).content.decode())

    assert "Zebra 3" in shown
    assert "Zebra 4" not in shown
    assert "No study has these words" in client.get(reverse("workspace:home"), {"q": "nowhere"}).content.decode()


def test_the_settings_change_title_notice_and_remark_at_once_and_leave_the_draft_alone(
    world: World, owner: User
) -> None:
    address = reverse("studies:settings", args=[world.study.slug])
    before = world.study.draft

    sent = {"title": " Voices ", "notice": "Back on Monday.", "remark": "Ask Ada."}
    assert logged_in(owner).post(address, sent).status_code == 302

    world.study.refresh_from_db()
    assert (world.study.title, world.study.notice, world.study.remark) == ("Voices", "Back on Monday.", "Ask Ada.")
    assert world.study.draft == before


def test_settings_without_a_title_are_refused_beside_the_field_and_change_nothing(world: World, owner: User) -> None:
    title = world.study.title
    response = logged_in(owner).post(reverse("studies:settings", args=[world.study.slug]), {"title": " "})

    assert response.status_code == 400
    assert "This field is required" in response.content.decode()
    assert f"{title} <span" in response.content.decode()
    world.study.refresh_from_db()
    assert world.study.title == title


def test_a_viewer_reads_the_settings_and_cannot_change_them(world: World, owner: User) -> None:
    viewer = researcher("vera")
    share(world.study, viewer, "viewer", world.now)
    address = reverse("studies:settings", args=[world.study.slug])

    assert "Save settings" not in logged_in(viewer).get(address).content.decode()
    assert logged_in(viewer).post(address, {"title": "Mine"}).status_code == 403


def test_the_live_page_shows_people_and_coverage_but_no_score(world: World, owner: User) -> None:
    client = logged_in(owner)
    figures.compute(world.study, world.now)

    shown = page(client, "live", world.study)

    assert "Nobody has come yet." in shown
    assert 'id="coverage-title"' in shown
    assert "scores-title" not in shown


@pytest.mark.parametrize("name", ["clips", "audit"])
def test_the_clips_and_their_audit_lead_to_each_other(world: World, owner: User, name: str) -> None:
    shown = logged_in(owner).get(reverse(f"studies:{name}", args=[world.study.slug])).content.decode()

    for other in ("clips", "audit"):
        assert f'<a href="{reverse(f"studies:{other}", args=[world.study.slug])}"' in shown


@pytest.mark.django_db
def test_texts_of_a_draft_need_whoever_may_review_or_cross_check_them(files: Path, now: datetime) -> None:
    rita, ben = researcher("rita"), researcher("ben")
    study = Study.objects.create(slug="words", title="Words", draft=draft(), owner=rita)
    texts = [services.add(study=study, name=f"t{at}", values={"body": f"W{at}"}, author=rita, now=now) for at in (1, 2)]
    share(study, ben, "editor", now)
    share(study, viewer := researcher("vera"), "viewer", now)
    services.accept(text=texts[0], user=rita, now=now, seen=1)

    shown = {user.username: page(logged_in(user), "overview", study) for user in (rita, ben, viewer)}
    homes = {user.username: page(logged_in(user), "home") for user in (rita, ben, viewer)}

    for pages in (shown, homes):
        assert {name: "1 text to review" in each for name, each in pages.items()} == {
            "rita": True, "ben": True, "vera": False
        }  # fmt: skip
        assert {name: "1 text to cross-check" in each for name, each in pages.items()} == {
            "rita": False, "ben": True, "vera": False
        }  # fmt: skip
    assert next_step(study, rita).label == "Open texts"
    services.cross_check(text=texts[0], user=ben, now=now, seen=1)
    assert "1 text is ready to be synthesized" in next_step(study, rita).sentence


@pytest.mark.django_db
def test_drafted_questions_need_everybody_who_has_not_decided_on_them(now: datetime) -> None:
    study, rosa = passages(now), researcher("rosa")
    Study.objects.filter(pk=study.pk).update(owner=rosa)
    run = DraftRun.objects.create(
        study=study, kind="questions", plan={}, budget_tokens=1, budget_calls=1, created_at=now, queued_at=now
    )
    prompt = DraftPrompt.objects.create(study=study, step="questions", language="en", number=1, body="b", at=now)
    made = Draft.objects.create(run=run, unit="questions/1", step="questions", prompt=prompt, parameters={}, at=now)
    question = DraftQuestion.objects.create(run=run, draft=made, prompt="Who?", options=[], drafted={})

    assert "1 drafted question to inspect" in page(logged_in(rosa), "home")
    DraftDecision.objects.create(question=question, user=rosa, accepts=False, at=now)
    assert "question to inspect" not in page(logged_in(rosa), "home")
