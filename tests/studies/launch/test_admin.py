"""The researcher's pages: who sees what, what can be done, and what can't be changed."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.users.roles import RESEARCHERS
from core.jobs import DONE
from core.registry import Registry
from studies import hooks
from studies.launch import states as studies
from studies.models import Clip, ClipImport, Pool, Study, StudyVersion
from tests.researchers import logged_in, researcher, text, url
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    """Return Rita's browser."""
    return logged_in(rita)


@pytest.fixture
def draft(rita: User, now: datetime) -> Study:
    study = make_study(now=now, launch=False, texts=21)
    Study.objects.update(owner=rita)
    study.refresh_from_db()
    return study


@pytest.fixture
def stranger() -> Client:
    """Return the browser of a researcher with no studies."""
    return logged_in(researcher("sam"))


@pytest.fixture
def live(draft: Study, now: datetime) -> Study:
    studies.launch(study=draft, now=now)
    return draft


@pytest.mark.parametrize("name", ["admin:studies_study_add", "workspace:new"])
def test_a_study_is_made_from_a_preset_and_belongs_to_its_maker(page: Client, rita: User, name: str) -> None:
    address = reverse(name)
    assert "Does this voice pass for a human?" in text(page.get(address))
    made = page.post(address, {"preset": "att", "language": "en", "title": "How human?", "slug": "how-human"})
    study = Study.objects.get(slug="how-human")
    assert made.headers["Location"] == url("clips", study.slug)
    assert study.owner == rita
    assert study.definition.preset == "att"
    assert study.definition.crowd.completion_code


def test_the_admins_page_of_a_study_leads_to_its_overview_and_saves_nothing(page: Client, draft: Study) -> None:
    address = url("change", draft.pk)
    assert page.get(address).headers["Location"] == reverse("workspace:overview", args=[draft.slug])
    assert page.post(address, {"title": "Typed", "protocol__ratings_wanted": "4"}).status_code == 405
    before = draft.draft
    draft.refresh_from_db()
    assert (draft.title != "Typed", draft.draft) == (True, before)


def pages_of(study: Study) -> list[str]:
    job = ClipImport.objects.create(study=study, created_at=study.created_at, manifest_name="m.csv", state=DONE)
    clip = study.clips.first()
    assert clip
    return [
        url("history", study.pk),
        url("clips", study.slug),
        url("launch", study.slug),
        url("import", study.slug, job.pk),
        url("import_status", study.slug, job.pk),
        url("import_report", study.slug, job.pk),
        reverse("admin:studies_clip_change", args=[clip.pk]),
        reverse("admin:studies_clip_audio", args=[clip.pk]),
        reverse("admin:studies_studyversion_change", args=[study.versions.get().pk]),
    ]


def test_its_owner_and_a_superuser_see_a_study_and_another_researcher_does_not(
    page: Client, stranger: Client, live: Study
) -> None:
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    for address in pages_of(live):
        assert page.get(address).status_code == 200, address
        assert root.get(address).status_code == 200, address
        refused = stranger.get(address)
        # Django's own pages lead to the overview and say that there is no such row.
        assert refused.status_code in {302, 404}, address
        assert refused.headers.get("Location", reverse("admin:index")) == reverse("admin:index")
    for model in ("study", "clip", "studyversion"):
        address = reverse(f"admin:studies_{model}_changelist")
        assert "1 " in text(page.get(address)).split('class="paginator"')[1]
        assert "0 " in text(stranger.get(address)).split('class="paginator"')[1]


def test_filters_name_no_study_of_others(
    page: Client, stranger: Client, live: Study, now: datetime, rita: User
) -> None:
    other = make_study(now=now)
    Study.objects.filter(pk=other.pk).update(title="Secret plans", owner=User.objects.get(username="sam"))
    Study.objects.create(title="Mine too", slug="mine-too", draft=live.draft, owner=rita)
    for name in ("studies_clip", "studies_studyversion", "raters_session", "raters_batch", "raters_answer"):
        assert "Secret plans" not in text(page.get(reverse(f"admin:{name}_changelist"))), name
    address = reverse("admin:studies_clip_changelist")
    assert "Secret plans" in text(stranger.get(address))
    assert "alpha" not in text(page.get(f"{address}?study__id__exact={other.pk}"))


def test_another_researcher_changes_nothing(stranger: Client, draft: Study) -> None:
    for move in ("launch", "close"):
        assert stranger.post(url("move", draft.slug, move)).status_code == 404
    assert stranger.post(url("clips", draft.slug), {}).status_code == 404
    clip = draft.clips.first()
    assert clip
    action = {"action": "withdraw", "_selected_action": [clip.pk]}
    stranger.post(reverse("admin:studies_clip_changelist"), action)
    clip.refresh_from_db()
    draft.refresh_from_db()
    assert (clip.withdrawn_at, draft.state) == (None, "draft")


def test_staff_without_the_role_are_kept_out_and_others_are_asked_to_log_in(draft: Study) -> None:
    clerk = logged_in(User.objects.create_user("clerk", password="pw", is_staff=True))
    assert clerk.get(url("changelist")).status_code == 403
    assert Client().get(url("launch", draft.slug)).status_code == 302
    visitor = logged_in(User.objects.create_user("visitor", password="pw"))
    assert visitor.get(url("launch", draft.slug)).status_code == 302


def test_who_may_only_look_gets_no_fields_and_no_buttons(draft: Study, rita: User) -> None:
    group = Group.objects.get(name=RESEARCHERS)
    group.permissions.remove(*group.permissions.exclude(codename__startswith="view_"))
    looker = logged_in(rita)
    design = reverse("studies:design", args=[draft.slug])
    assert not re.search(
        r'<(input|select|textarea)(?![^>]*type="(hidden|search)")', text(looker.get(design)).split("<main")[1]
    )
    assert looker.post(design, {}).status_code == 403
    assert url("move", draft.slug, "launch") not in text(looker.get(url("launch", draft.slug)))
    assert "add-clips" not in text(looker.get(url("clips", draft.slug)))
    assert looker.post(url("move", draft.slug, "launch")).status_code == 403
    assert looker.post(url("clips", draft.slug), {}).status_code == 403


def test_the_clips_page_counts_by_system_and_role(page: Client, draft: Study) -> None:
    html = text(page.get(url("clips", draft.slug)))
    row = re.search(r">human</th>(.*?)</tr>", html, re.DOTALL)
    assert row
    assert re.findall(r">(\d+)<", row.group(1)) == ["21", "0", "8"]


def test_the_launch_page_tells_what_blocks_and_offers_no_button(page: Client, draft: Study) -> None:
    draft.clips.filter(role="trap_flawed").delete()
    html = text(page.get(url("launch", draft.slug)))
    assert "There are too few traps" in html
    assert url("move", draft.slug, "launch") not in html
    page.post(url("move", draft.slug, "launch"))
    draft.refresh_from_db()
    assert draft.state == "draft"
    assert "There are too few traps" in text(page.get(url("changelist")))


def test_a_study_goes_through_its_states_by_buttons(page: Client, draft: Study, rita: User) -> None:
    def press(move: str) -> str:
        assert url("move", draft.slug, move) in text(page.get(url("launch", draft.slug)))
        done = page.post(url("move", draft.slug, move))
        # After the launch, raters need the link.
        recruit = reverse("workspace:recruit", args=[draft.slug])
        assert done.headers["Location"] == (recruit if move == "launch" else url("launch", draft.slug))
        draft.refresh_from_db()
        return draft.state

    states = [press(move) for move in ("launch", "pause", "resume", "close", "reopen")]
    assert states == ["live", "paused", "live", "closed", "paused"]
    assert LogEntry.objects.filter(user=rita, object_id=str(draft.pk)).count() == 5


def test_a_state_changes_by_post_alone(page: Client, draft: Study) -> None:
    assert page.get(url("move", draft.slug, "launch")).status_code == 405
    assert page.post(url("move", draft.slug, "explode")).status_code == 404
    assert Client(enforce_csrf_checks=True).post(url("move", draft.slug, "launch")).status_code in {302, 403}
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_a_step_at_the_wrong_time_is_explained(page: Client, draft: Study) -> None:
    said = page.post(url("move", draft.slug, "pause"), follow=True)
    assert "Only a live study can be paused. It is now: draft." in text(said)


def test_higher_apps_add_links_and_panels(page: Client, live: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "study_links", Registry())
    monkeypatch.setattr(hooks, "study_panels", Registry())
    hooks.study_links.register(hooks.StudyLink("Arrive", "raters:arrive", tab="clips"))
    hooks.study_links.register(hooks.StudyLink("Hidden", "raters:arrive", "accounts.delete_user", tab="clips"))
    hooks.study_links.register(hooks.StudyLink("Has a tab", "raters:arrive"))
    hooks.study_panels.register(hooks.StudyPanel("Later", lambda study: "<b>two</b>", order=2))
    hooks.study_panels.register(hooks.StudyPanel("Sooner", lambda study: "<b>one</b>", order=1))
    hooks.study_panels.register(hooks.StudyPanel("Launched", lambda study: "<b>live</b>", of_launched=True))
    hooks.study_panels.register(hooks.StudyPanel("Nothing to say", lambda study: ""))
    hooks.study_panels.register(hooks.StudyPanel("Draft", lambda study: "<b>draft</b>", of_draft=True))
    clips = text(page.get(url("clips", live.slug)))
    assert f'href="{reverse("raters:arrive", args=[live.slug])}">Arrive' in clips
    assert "Hidden" not in clips
    assert "Has a tab" not in clips
    html = text(page.get(url("launch", live.slug)))
    assert html.index("<b>one</b>") < html.index("<b>two</b>")
    assert "<b>draft</b>" not in html
    assert "Nothing to say" not in html
    Study.objects.filter(pk=live.pk).update(state=Study.State.DRAFT)
    draft = text(page.get(url("launch", live.slug)))
    assert "<b>draft</b>" in draft
    assert "<b>live</b>" in html
    assert "<b>live</b>" not in draft


def test_the_launch_page_gives_the_raters_link(page: Client, live: Study) -> None:
    assert f"http://testserver/s/{live.slug}/?PROLIFIC_PID=" in text(page.get(url("launch", live.slug)))


@pytest.mark.parametrize(
    ("base", "is_told"),
    [("http://127.0.0.1:8000", True), ("http://[::1]:8000", True), ("https://listening.example.org", False)],
)
def test_an_address_that_only_this_machine_can_open_is_told(
    page: Client, draft: Study, settings: Any, now: datetime, base: str, is_told: bool
) -> None:
    settings.BASE_URL = base
    before = text(page.get(url("launch", draft.slug)))
    studies.launch(study=draft, now=now)
    after = text(page.get(url("launch", draft.slug)))
    told = "which only this machine can open. Before you invite others, ask the administrator"
    assert (told in before) is is_told
    # The setting's name is folded away for administrators.
    assert ("<summary>For administrators</summary><p>Set EARSHOT_BASE_URL to" in before) is is_told
    # After the launch, next to the link only.
    assert told not in after
    assert ("Only this machine can open this address." in after) is is_told


def test_the_front_page_begins_with_studies_as_far_as_one_may(page: Client, rita: User) -> None:
    addresses = [reverse("workspace:new"), url("changelist"), reverse("workspace:home")]
    card = text(page.get(reverse("admin:index"))).split('class="module start"')[1].split("</section>")[0]
    assert re.findall(r'href="([^"]+)"', card) == addresses
    group = Group.objects.get(name=RESEARCHERS)
    group.permissions.remove(*group.permissions.filter(codename="add_study"))
    card = text(logged_in(rita).get(reverse("admin:index"))).split('class="module start"')[1].split("</section>")[0]
    assert re.findall(r'href="([^"]+)"', card) == addresses[1:]
    clerk = logged_in(User.objects.create_user("clerk", password="pw", is_staff=True))
    assert 'class="module start"' not in text(clerk.get(reverse("admin:index")))


def test_clips_are_withdrawn_and_taken_back_from_the_list(page: Client, live: Study) -> None:
    clip = live.clips.filter(role="test").first()
    assert clip
    address = reverse("admin:studies_clip_changelist")
    page.post(address, {"action": "withdraw", "_selected_action": [clip.pk]})
    place = Pool.objects.get(item__clips__clip=clip)
    clip.refresh_from_db()
    assert (place.wanted, clip.withdrawn_at is None) == (0, False)
    page.post(address, {"action": "restore", "_selected_action": [clip.pk]})
    place.refresh_from_db()
    clip.refresh_from_db()
    assert (place.wanted, clip.withdrawn_at) == (10, None)


def test_clips_are_deleted_before_the_launch_alone(page: Client, draft: Study, now: datetime) -> None:
    first, second = draft.clips.all()[:2]
    address = reverse("admin:studies_clip_changelist")
    chosen = {"action": "delete_selected", "post": "yes"}
    page.post(address, {**chosen, "_selected_action": [first.pk]})
    assert not Clip.objects.filter(pk=first.pk).exists()
    page.post(reverse("admin:studies_clip_delete", args=[second.pk]), {"post": "yes"})
    assert not Clip.objects.filter(pk=second.pk).exists()
    studies.launch(study=draft, now=now)
    third = draft.clips.all()[0]
    assert page.post(reverse("admin:studies_clip_delete", args=[third.pk]), {"post": "yes"}).status_code == 403
    page.post(address, {**chosen, "_selected_action": [third.pk]})
    assert Clip.objects.filter(pk=third.pk).exists()


def test_a_clips_page_says_whether_its_system_was_trained_on_the_benchmark(page: Client, draft: Study) -> None:
    clip = draft.clips.filter(role="test").first()
    assert clip
    address = reverse("admin:studies_clip_change", args=[clip.pk])
    field = r'field-seen.*?<div class="readonly">(.*?)</div>'
    for value in ("yes", "no"):
        Clip.objects.filter(pk=clip.pk).update(seen=value)
        assert re.findall(field, text(page.get(address)), re.DOTALL) == [value]


def test_a_researcher_hears_the_clip_as_raters_do(page: Client, draft: Study) -> None:
    clip = draft.clips.first()
    assert clip
    sent = page.get(reverse("admin:studies_clip_audio", args=[clip.pk]))
    assert sent.headers["Content-Type"] == "audio/wav"
    assert b"".join(sent)[:4] == b"RIFF"  # type: ignore[arg-type]


def test_pages_hold_no_inline_script_or_style(page: Client, live: Study) -> None:
    addresses = [reverse("workspace:new"), url("changelist"), reverse("admin:index"), *pages_of(live)]
    for address in addresses:
        sent = page.get(address)
        if "text/html" in sent.headers["Content-Type"]:
            html = text(sent)
            assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*json)", html), address
            assert not re.search(r"<style|\sstyle=|\son\w+=", html), address


def test_versions_show_their_settings(page: Client, live: Study) -> None:
    version = StudyVersion.objects.get()
    html = text(page.get(reverse("admin:studies_studyversion_change", args=[version.pk])))
    assert version.sha256 in html
    assert "&quot;ratings_wanted&quot;: 10" in html
