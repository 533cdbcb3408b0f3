"""The study's page: who may see it, what it says when there is nothing yet, and how it stays fresh."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.data.models import Simulated
from analysis.exports import building
from analysis.exports.models import Export
from analysis.live import stored
from raters.models import Session
from studies.models import Clip, Study
from studies.summaries.models import Summary
from tests import figures
from tests.analysis.world import World
from tests.researchers import researcher

PAGES = ("study", "figures", "export")


@pytest.fixture
def owner(world: World) -> User:
    user = User.objects.create_user("owner", password="x", is_staff=True)
    Study.objects.filter(pk=world.study.pk).update(owner=user)
    return user


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def nudged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Collect what workers are told instead of telling them."""
    told: list[tuple[str, int]] = []

    def note(name: str, pk: int) -> None:
        told.append((name, pk))

    monkeypatch.setattr("studies.summaries.services.nudge", note)
    monkeypatch.setattr("analysis.exports.views.nudge", note)
    return told


def refresh(world: World, simulated: Simulated = Simulated.WITHOUT) -> None:
    """Compute the figures as a worker would."""
    figures.compute(world.study, world.now, simulated)


def get(page: Client, world: World, name: str = "study", **query: str) -> str:
    response = page.get(reverse(f"analysis:{name}", args=[world.study.slug]), query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("name", PAGES)
def test_strangers_are_sent_to_the_sign_in_page_and_back(client: Client, world: World, name: str) -> None:
    address = reverse(f"analysis:{name}", args=[world.study.slug])
    response = client.get(address)
    assert response.status_code == 302
    assert response.headers["Location"] == f"{reverse('admin:login')}?next={address}"


@pytest.mark.parametrize("name", PAGES)
def test_people_who_are_no_staff_are_not_let_in(client: Client, world: World, name: str) -> None:
    client.force_login(User.objects.create_user("visitor", password="x"))
    assert client.get(reverse(f"analysis:{name}", args=[world.study.slug])).status_code == 302


@pytest.mark.parametrize("name", PAGES)
def test_another_researcher_sees_nothing_and_a_superuser_everything(
    client: Client, world: World, owner: User, name: str, nudged: list[tuple[str, int]]
) -> None:
    address = reverse(f"analysis:{name}", args=[world.study.slug])
    client.force_login(User.objects.create_user("other", password="x", is_staff=True))
    assert client.get(address).status_code == 404
    assert client.post(reverse("analysis:export", args=[world.study.slug])).status_code == 404
    client.force_login(User.objects.create_superuser("root", password="x"))
    assert client.get(address).status_code == 200


def test_a_study_without_an_owner_is_for_superusers_alone(client: Client, world: World) -> None:
    client.force_login(User.objects.create_user("other", password="x", is_staff=True))
    assert client.get(reverse("analysis:study", args=[world.study.slug])).status_code == 404


def test_an_unknown_study_is_not_found(page: Client) -> None:
    assert page.get(reverse("analysis:study", args=["missing"])).status_code == 404


def test_the_list_shows_the_studies_one_may_see(page: Client, world: World) -> None:
    assert world.study.title in page.get(reverse("workspace:home")).content.decode()
    page.force_login(User.objects.create_user("other", password="x", is_staff=True))
    empty = page.get(reverse("workspace:home")).content.decode()
    assert world.study.title not in empty
    # A colleague without the role may create nothing.
    assert reverse("workspace:new") not in empty
    page.force_login(researcher("rosa"))
    assert reverse("workspace:new") in page.get(reverse("workspace:home")).content.decode()


def test_the_first_look_says_that_figures_are_coming_and_asks_a_worker(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    assert "being computed" in get(page, world)
    assert nudged == [("studies.refresh_summary", Summary.objects.get().pk)]
    get(page, world, "figures")
    assert len(nudged) == 1


def test_the_page_says_so_when_newer_figures_do_not_come(
    page: Client, world: World, nudged: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh(world)
    later = world.now + timedelta(hours=1)
    monkeypatch.setattr("core.clock.now", lambda: later)
    assert "busy or not running" not in get(page, world)
    later += timedelta(seconds=40)
    assert "busy or not running" in get(page, world)


def test_figures_are_computed_again_when_they_are_ten_seconds_old(world: World, now: datetime) -> None:
    refresh(world)

    def is_coming(seconds: float) -> bool:
        return stored.newest(world.study, Simulated.WITHOUT, now=now + timedelta(seconds=seconds)).is_coming

    assert not is_coming(9)
    assert is_coming(11)


def test_whoever_wants_newer_figures_gets_them_at_once(
    page: Client, world: World, nudged: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh(world)
    nudged.clear()
    monkeypatch.setattr("core.clock.now", lambda: world.now)
    shown = get(page, world)
    assert nudged == []
    [address] = re.findall(r'href="([^"]*refresh)">Refresh<', shown)
    page.get(reverse("analysis:study", args=[world.study.slug]) + unescape(address))
    assert nudged == [("studies.refresh_summary", Summary.objects.get().pk)]


def test_the_page_shows_scores_numbers_and_the_rater_link(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(15)
    refresh(world)
    html = get(page, world)
    for words in ("alpha", "beta", "human", "a pure guesser passes 18.5 %", "of 360 wanted", "数字"):
        assert words in html
    assert "Intervals account for raters and for texts" in html
    assert "Tiers: systems that share a letter" in html or "A comparison needs two systems" in html
    assert f"/s/{world.study.slug}/?PROLIFIC_PID=" in html
    assert "listening enforced by the server" in html


def test_results_read_from_a_sentence_to_a_picture_to_a_folded_table(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(15)
    refresh(world)
    html = get(page, world)
    places = [html.index(words) for words in ('id="scores-title"', 'class="lead"', "<figure", '<table class="scores">')]
    assert places == sorted(places)
    assert "Human speech scores" in html
    assert html.rindex("<details", 0, places[-1]) > html.rindex("</details>", 0, places[-1])
    assert '<details class="table" open' not in html[places[2] : places[-1]]


def test_figures_come_alone_and_only_when_they_changed(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(3)
    refresh(world)
    html = get(page, world, "figures")
    assert "<html" not in html
    address = reverse("analysis:figures", args=[world.study.slug])
    assert page.get(address, {"seen": world.now.isoformat()}).content == b""
    assert page.get(address, {"seen": "earlier"}).status_code == 200


@pytest.mark.parametrize("by", ["system", "voice", "dimension", "box", "<script>"])
def test_scores_can_be_grouped_without_javascript(
    page: Client, world: World, nudged: list[tuple[str, int]], by: str
) -> None:
    world.crowd(6)
    refresh(world)
    html = get(page, world, by=by)
    assert "<script>" not in html
    assert ("poetry</b>" in html) == (by == "dimension")


def test_simulated_figures_stand_under_a_banner_and_apart(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(4, simulated=True)
    for mode in Simulated:
        refresh(world, mode)
    html = get(page, world)
    assert "banner" not in html
    assert "Nobody has come yet" in html
    assert "Try it out" in html
    assert "4 simulated raters" in html
    assert "Simulated raters only." in get(page, world, simulated="only")
    assert "Simulated raters are included." in get(page, world, simulated="with")


def test_results_name_a_researcher_s_test_run_as_one_and_never_as_a_simulated_rater(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(1, simulated=True)
    Session.objects.update(preview=True)
    assert "imulated rater" not in get(page, world), "before the first figures"
    for mode in Simulated:
        refresh(world, mode)
    shown = [get(page, world, simulated=mode) for mode in Simulated.values]
    assert "Look at the answers of 1 test run, which doesn’t count" in shown[0]
    assert "Test runs are included." in shown[1]
    assert "Test runs only." in shown[2]
    assert not [html for html in shown if "imulated rater" in html]


def test_results_of_simulated_raters_say_that_test_runs_are_among_them(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(2, simulated=True)
    Session.objects.filter(pk=Session.objects.latest("pk").pk).update(preview=True)
    for mode in Simulated:
        refresh(world, mode)
    assert "Look at the answers of simulated raters and test runs" in get(page, world)
    assert "Simulated raters and test runs only." in get(page, world, simulated="only")


def test_a_closed_study_without_any_real_rater_shows_the_simulated_ones_first(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(4, simulated=True)
    Study.objects.filter(pk=world.study.pk).update(state="closed")
    for mode in Simulated:
        refresh(world, mode)
    assert "Simulated raters only." in get(page, world)
    world.crowd(1)
    assert "Simulated raters only." not in get(page, world)


def test_a_closed_study_asks_for_no_more_raters(page: Client, world: World, nudged: list[tuple[str, int]]) -> None:
    refresh(world)
    assert "rater-link" in get(page, world)
    Study.objects.filter(pk=world.study.pk).update(state="closed")
    refresh(world)
    html = get(page, world)
    assert "Nobody took part before the study was closed." in html
    assert "rater-link" not in html


def test_each_empty_state_says_what_to_do_next(page: Client, world: World, nudged: list[tuple[str, int]]) -> None:
    refresh(world)
    html = get(page, world)
    assert "Invite raters by the link below" in html
    assert "Paste this address unchanged into the study’s URL at Prolific" in html
    Summary.objects.all().delete()
    session = world.session()
    refresh(world)
    assert "nobody has answered yet" in get(page, world)
    Summary.objects.all().delete()
    world.rate(world.batch(session, "open"), world.clips("alpha")[0], "human")
    refresh(world)
    assert "none counts yet" in get(page, world)
    Study.objects.filter(pk=world.study.pk).update(state="draft")
    assert "This study is a draft" in get(page, world)


def test_names_and_reasons_are_escaped(page: Client, world: World, nudged: list[tuple[str, int]]) -> None:
    system = world.clips("alpha")[0].system
    system.name = "<img src=x onerror=alert(1)>"
    system.save()
    world.crowd(3)
    refresh(world)
    assert "<img src=x" not in get(page, world)


def test_a_download_is_asked_for_watched_and_taken(
    page: Client, world: World, nudged: list[tuple[str, int]], now: datetime
) -> None:
    world.crowd(2)
    response = page.post(reverse("analysis:export", args=[world.study.slug]), {"simulated": "without"})
    row = Export.objects.get()
    detail = reverse("analysis:export_detail", args=[world.study.slug, row.pk])
    assert response.headers["Location"] == detail
    assert nudged == [("analysis.build_export", row.pk)]
    assert "Waiting to start" in page.get(detail).content.decode()
    download = reverse("analysis:export_download", args=[world.study.slug, row.pk])
    assert page.get(download).status_code == 404
    building.build_export(pk=row.pk, clock=lambda: now)
    part = page.get(detail, {"part": "1"}).content.decode()
    assert "data-over" in part
    assert "<html" not in part
    response = page.get(download)
    assert response.headers["Content-Disposition"].startswith(f'attachment; filename="{world.study.slug}-without-')
    assert b"".join(response.streaming_content)[:2] == b"PK"  # type: ignore[attr-defined, arg-type]


def test_nobody_downloads_another_studys_export(page: Client, world: World, now: datetime) -> None:
    other = World(now)
    row = building.request_export(study_id=other.study.pk, simulated=Simulated.WITHOUT, user=None, now=now)
    building.build_export(pk=row.pk, clock=lambda: now)
    assert page.get(reverse("analysis:export_download", args=[world.study.slug, row.pk])).status_code == 404
    assert page.get(reverse("analysis:export_download", args=[other.study.slug, row.pk])).status_code == 404


def test_the_admin_of_a_study_offers_its_results_and_its_data() -> None:
    from studies import hooks

    names = [link.url_name for link in sorted(hooks.study_links, key=lambda link: link.order)]
    assert names[:2] == ["analysis:study", "analysis:export"]


def test_when_every_batch_failed_its_traps_the_page_says_so(page: Client, world: World) -> None:
    batch = world.batch(world.session(), valid=False)
    world.rate(batch, world.clips("alpha")[0], "human")
    refresh(world)
    assert "Every full batch so far failed its traps" in get(page, world)


def test_the_page_says_that_few_shared_texts_leave_raters_alone_and_which_systems_models_leave_out(
    page: Client, world: World
) -> None:
    clips = {name: world.clips(name) for name in ("alpha", "beta")}
    for number in range(12):
        batch = world.batch(world.session())
        for name, mine in clips.items():
            for place, clip in enumerate(mine[: 6 if name == "alpha" else 4]):
                world.rate(batch, clip, ("human", "machine", "unclear")[(number + place) % 3])
    texts = [clip.text_id for clip in clips["alpha"][:3]]
    for mine in clips.values():
        for place, clip in enumerate(mine):
            Clip.objects.filter(pk=clip.pk).update(text_id=texts[place % 3])
    refresh(world)
    shown = get(page, world)
    assert "Systems share fewer than 5 texts, so intervals account for raters only" in shown
    assert "beta is left out: Too few texts: 4, and at least 5 are needed." in shown


def test_stored_figures_that_can_not_be_read_count_as_not_computed_yet(
    page: Client, world: World, nudged: list[tuple[str, int]]
) -> None:
    refresh(world)
    value = Summary.objects.get().value
    for other in ({**value, "schema": 0}, {**value, "scale": None}):
        Summary.objects.update(value=other)
        assert "being computed" in get(page, world)


def test_many_systems_are_searched_and_shown_in_pages(
    page: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.web.listing.ON_A_PAGE", 1)
    world.crowd(6)
    refresh(world)
    address = reverse("analysis:study", args=[world.study.slug])
    first, second = (page.get(f"{address}?page={number}").content.decode() for number in (1, 2))
    chart = re.compile(r'<span class="who"><b dir="auto">(\w+)</b>')
    assert len(chart.findall(first)) == len(chart.findall(second)) == 1
    assert chart.findall(first) != chart.findall(second)
    assert chart.findall(get(page, world, q="beta")) == ["beta"]
    assert "scores highest of 2 systems" in second
    # The figures that replace those of the page are of the same systems.
    source = unescape(get(page, world, q="beta").split('data-src="')[1].split('"')[0])
    assert chart.findall(page.get(source).content.decode()) == ["beta"]
    assert "No system matches." in get(page, world, q="nobody")
