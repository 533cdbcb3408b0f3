"""Every page of the URLconf, as people meet it who hear, see or move differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import URLPattern, URLResolver, reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.tokens import services as tokens_services
from analysis.metrics import sets
from analysis.planning import plans
from analysis.runs import analyses
from raters.models import Batch, Session
from raters.people import invites
from raters.privacy import requests
from raters.rating import finishing
from raters.simulation.simulated_sessions import simulate
from raters.sources.preview import PreviewSource
from raters.tasks import validate_batch
from studies import urls as studies_urls
from studies.clips import queries as clips_queries
from studies.models import ClipImport, Question, Study
from tests.browser.every_page import look_at_checks
from tests.browser.looking import Walk, look
from tests.browser.steps import in_state, listen, make_study
from tests.raters.sessions.screening.listener import ALL
from tests.raters.sessions.screening.listener import make_study as with_training
from tests.workers import work_at_once
from tests.world import Person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]

SMALL = {"protocol__tests_per_batch": 1, "protocol__human_traps": 1, "seconds": 0.6}
MOVING = """
() => [...document.querySelectorAll("*")].filter((element) => {
  const style = getComputedStyle(element);
  const seconds = (value) => Math.max(...value.split(",").map(parseFloat));
  return seconds(style.transitionDuration) > 0.01
    || (style.animationName !== "none" && seconds(style.animationDuration) > 0.01) || style.scrollBehavior === "smooth";
}).map((element) => `${element.tagName.toLowerCase()}.${element.className}#${element.id}`).slice(0, 8)
"""


@pytest.mark.parametrize(("language", "direction"), [("en", "ltr"), ("zh-hans", "ltr"), ("ar", "rtl")])
def test_every_rater_page_is_open_to_everybody(page: Page, language: str, direction: str) -> None:
    asked: dict[str, Any] = {"questionnaire__gender": True, "questionnaire__languages": True}
    asked |= {"questionnaire__questions": ["Why?"]}
    asked |= {**ALL, **SMALL, "screening__headphones": "antiphase", "protocol__batches_per_session": 1}
    study = with_training(timezone.now(), texts__language=language, **asked)
    walk = Walk(page)
    walk.see("raters:arrive", slug=study.slug)
    walk.see("raters:rate", slug=study.slug)
    page.goto(f"/s/{study.slug}/?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c")
    expect(page.locator("html")).to_have_attribute("dir", direction)
    expect(page.locator("html")).to_have_attribute("lang", language)
    walk.look("raters:consent")
    page.locator("button[value=agree]").click()
    walk.look("raters:consent")
    page.locator("#agreed").check()
    page.locator("button[value=agree]").click()
    look_at_checks(walk)
    page.wait_for_url("**/instructions/")
    walk.look("raters:instructions")
    walk.see("raters:leave", slug=study.slug)
    page.goto(reverse("raters:instructions", args=[study.slug]))
    page.locator("form .button").click()
    look_at_checks(walk)
    in_state(page, "ready")
    walk.look("raters:trial")
    for panel in ("breath", "elsewhere", "hold", "stopped"):
        page.evaluate(
            "name => document.querySelectorAll('[data-panel]').forEach(p => { p.hidden = p.dataset.panel !== name })",
            panel,
        )
        walk.look("raters:trial")
    page.reload()
    listen(page)
    page.locator("#save").click()
    expect(page.locator("#label-problem")).to_be_visible()
    walk.look("raters:trial")
    page.locator("[data-open=help]").click()
    walk.look("raters:trial")
    page.goto(reverse("raters:leave", args=[study.slug]))
    page.locator(".danger").click()
    page.wait_for_url("**/end/")
    walk.look("raters:end")
    walk.see("raters:information", slug=study.slug)
    walk.see("raters:your_data", slug=study.slug)
    page.locator(".danger").click()
    page.wait_for_url("**/end/")
    walk.look("raters:end")
    walk.see("raters:your_data", slug=study.slug)
    # As for somebody who has answered the last clip.
    Session.objects.update(step=Session.Step.QUESTIONS)
    walk.see("raters:questionnaire", slug=study.slug)
    assert walk.wrong == []
    assert walk.missed("raters:") == set()


@pytest.mark.parametrize(("language", "direction"), [("en", "ltr"), ("zh-hans", "ltr"), ("ar", "rtl")])
def test_every_page_before_and_after_a_session_is_open_to_everybody(page: Page, language: str, direction: str) -> None:
    wrong: list[str] = []

    def see(study: Study, query: str) -> None:
        page.goto(f"/s/{study.slug}/{query}")
        expect(page.locator("html")).to_have_attribute("dir", direction)
        wrong.extend(look(page))

    task = make_study(texts__language=language, crowd__source="mturk")
    see(task, "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    see(task, "?workerId=w&hitId=h&assignmentId=a&turkSubmitTo=https://www.mturk.com")
    see(make_study(texts__language=language, crowd__source="invite"), "?invite=unknown")
    anybody = make_study(texts__language=language, crowd__source="open")
    see(anybody, "")
    page.locator("form .button").click()
    page.wait_for_url("**/consent/")
    see(anybody, "")
    study = make_study(texts__language=language)
    page.goto(PreviewSource().link("", study.slug, study.definition.crowd))
    expect(page.locator(".test-run")).to_be_visible()
    wrong.extend(look(page))
    for outcome in filter(None, Session.Outcome):
        page.goto(f"/s/{study.slug}/?PROLIFIC_PID=p-{outcome}&STUDY_ID=b&SESSION_ID=s-{outcome}")
        arrived = Session.objects.get(ext_session=f"s-{outcome}")
        finishing.leave(session_id=arrived.pk, outcome=outcome, now=timezone.now())
        page.goto(reverse("raters:end", args=[study.slug]))
        wrong.extend(look(page))
    assert wrong == []


def busy_study(owner: User) -> Study:
    """Return a study with answers of people and of a program, good and bad, and with an import that was refused."""
    study = make_study(texts=12, flawed=6, humans=6)
    Study.objects.filter(pk=study.pk).update(owner=owner)
    now = timezone.now()
    for attentive in (True, False):
        person = Person(study, now).start()
        person.rate_batch(attentive=attentive)
    for pk in Batch.objects.filter(state="queued").values_list("pk", flat=True):
        validate_batch(pk)
    simulate(study_id=study.pk, raters=3, seed=1, now=now)
    requests.delete_answers(session_id=Person(study, now).start().session.pk, now=now)
    invites.create_links(study_id=study.pk, slug=study.slug, number=2, label="group", by=owner, now=now)
    problem = {"row": 2, "file": "a.wav", "column": "role", "reason": "No such role.", "warning": False}
    given = {"study": study, "created_at": now, "manifest_name": "m.csv", "state": "done", "created_by": owner}
    ClipImport.objects.create(**given, report=[problem])
    options = [{"text": "Seven", "error": ""}, {"text": "Eleven", "error": "phonetic"}]
    Question.objects.create(study=study, name="golden/1", golden=True, prompt="How many days?", options=options)
    tokens_services.create(owner=owner, name="nightly export", scopes=["results:read"], now=now)
    return study


@pytest.fixture
def owner(page: Page, monkeypatch: pytest.MonkeyPatch) -> User:
    """Sign a researcher in who may see everything, beside a worker that works at once."""
    monkeypatch.setattr("core.nudge._send", work_at_once)
    user = User.objects.create_superuser("rosa", password="pw")
    page.goto("/admin/login/")
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill("pw")
    page.get_by_role("button", name="Log in").click()
    return user


def test_every_page_of_results_is_open_to_everybody(page: Page, owner: User) -> None:
    study = busy_study(owner)
    empty = make_study()
    walk = Walk(page)
    walk.see("home")
    for each in (study, empty, make_study(launch=False)):
        walk.see("workspace:overview", slug=each.slug)
    walk.see("workspace:home")
    walk.see("workspace:new")
    for each in (study, make_study(launch=False)):
        walk.see("studies:design", slug=each.slug)
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        walk.look("studies:design")
    walk.see("workspace:recruit", slug=study.slug)
    walk.see("workspace:keep", slug=study.slug)
    walk.see("workspace:duplicate", slug=study.slug)
    walk.see("studies:settings", slug=study.slug)
    walk.see("workspace:live", slug=study.slug)
    walk.see("analysis:study", slug=empty.slug)
    walk.see("analysis:study", slug=study.slug)
    expect(page.locator("#scores-title")).to_be_visible()
    walk.look("analysis:study")
    page.goto(reverse("analysis:study", args=[study.slug]) + "?simulated=only&by=voice")
    expect(page.get_by_text("Simulated raters only.")).to_be_visible()
    walk.look("analysis:study")
    walk.see("analysis:machines", slug=empty.slug)
    known = sets.create_set(study_id=study.pk, name="DNSMOS", low=1, high=5, now=timezone.now())
    clips = clips_queries.recordings(study.pk)
    sets.put(set_id=known.pk, values=[sets.Given(clip.clip, 1 + clip.clip % 4) for clip in clips])
    walk.see("analysis:machines", slug=study.slug)
    walk.see("analysis:metric", slug=study.slug, pk=known.pk)
    walk.see("analysis:metric_remove", slug=study.slug, pk=known.pk)
    walk.see("analysis:analyses", slug=empty.slug)
    done = analyses.request_analysis(study_id=study.pk, user=owner, now=timezone.now(), simulated="with")
    done.settings["sections"] = ["scores", "contrasts", "participants"]
    done.save()
    walk.see("analysis:analysis", slug=study.slug, pk=done.pk)
    analyses.run(pk=done.pk, clock=timezone.now)
    walk.see("analysis:analysis", slug=study.slug, pk=done.pk)
    walk.see("analysis:analyses", slug=study.slug)
    walk.see("analysis:planning", slug=study.slug)
    walk.see("analysis:hidden_scores", slug=study.slug)
    plan = plans.request_plan(study_id=study.pk, kind="power", raw={"spread": "scores"}, user=owner, now=timezone.now())
    plans.run_plan(pk=plan.pk, clock=timezone.now)
    walk.see("analysis:plan", slug=study.slug, pk=plan.pk)
    walk.see("analysis:export", slug=study.slug)
    page.locator("main").get_by_role("button").first.click()
    page.wait_for_url("**/exports/*/")
    walk.look("analysis:export_detail")
    walk.see("analysis:export", slug=study.slug)
    walk.see("status")
    page.goto("/nothing-here/")
    walk.look("home")
    assert walk.wrong == []
    assert walk.missed("analysis:") == set()
    assert walk.missed("workspace:") == set()
    assert {name for name in walk.missed("") if ":" not in name} == set()


def admin_patterns(patterns: Any = None) -> Iterator[URLPattern]:
    """Yield the admin's addresses that have a name."""
    for pattern in admin.site.get_urls() if patterns is None else patterns:
        if isinstance(pattern, URLResolver):
            yield from admin_patterns(pattern.url_patterns)
        elif pattern.name and pattern.name != "view_on_site":
            yield pattern


def addresses(study: Study) -> Iterator[tuple[str, str]]:
    """Yield (name, address) of every page of the admin and of a study, filled in with rows that exist."""
    job = study.imports.first()
    assert job is not None
    known: dict[str, Any] = {"slug": study.slug, "job": job.pk, "move": "pause", "app_label": "studies"}
    known |= {"pk": study.pk, "id": study.pk, "key": "none", "number": 1, "repair": "edges", "clip": 1}
    named = [("admin", pattern) for pattern in admin_patterns()]
    for namespace, pattern in [*named, *(("studies", pattern) for pattern in studies_urls.urlpatterns)]:
        names = set(pattern.pattern.converters) | set(pattern.pattern.regex.groupindex)
        given = dict(known)
        parts = str(pattern.name).split("_")
        if "object_id" in names:
            row = apps.get_model(parts[0], parts[1])._default_manager.order_by("pk").last()
            assert row is not None, f"the test's world has no row for {pattern.name}"
            given["object_id"] = row.pk
        name = f"{namespace}:{pattern.name}"
        yield name, reverse(name, kwargs={part: given[part] for part in names})


def test_every_page_of_the_admin_and_of_a_study_is_open_to_everybody(page: Page, owner: User) -> None:
    study = busy_study(owner)
    draft = make_study(launch=False)
    Study.objects.filter(pk=draft.pk).update(owner=owner)
    wrong: list[str] = []
    seen: set[str] = set()
    for name, address in addresses(study):
        answer = page.request.get(address, max_redirects=0)
        assert answer.status < 500, address
        seen.add(name)
        is_page = answer.status == 200 and answer.headers["content-type"].startswith("text/html")
        if is_page and "attachment" not in answer.headers.get("content-disposition", ""):
            page.goto(address)
            wrong += look(page, narrow=name.startswith("studies:"))
    for address in (reverse("studies:launch", args=[draft.slug]), "/admin/login/"):
        page.goto(address)
        wrong += look(page)
    assert wrong == []
    assert seen >= {f"admin:{pattern.name}" for pattern in admin_patterns()}


def test_a_trial_needs_no_pointer(page: Page) -> None:
    study = make_study()
    page.goto(f"/s/{study.slug}/?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c")

    def tab_to(selector: str) -> None:
        for _ in range(25):
            page.keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                shape = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                ring = page.evaluate("!!document.activeElement.closest('.option')") or shape != "none"
                assert ring, f"{selector} shows no focus"
                return
        raise AssertionError(f"{selector} can't be reached by Tab")

    tab_to("#agreed")
    page.keyboard.press("Space")
    tab_to("button[value=agree]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/instructions/")
    tab_to("form button")
    page.keyboard.press("Enter")
    in_state(page, "ready")
    # The play button has the focus already.
    page.keyboard.press("Enter")
    in_state(page, "heard")
    tab_to("input[type=radio]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator("input[value=machine]").is_checked()
    tab_to("#reason")
    page.keyboard.type("Every pause has the very same length")
    tab_to("#save")
    page.keyboard.press("Enter")
    expect(page.locator("#where")).to_contain_text("Clip 2")
    in_state(page, "ready")
    assert page.evaluate("document.activeElement.matches('.play')"), "the next clip's button has the focus"


def test_whoever_wants_no_motion_gets_none(page: Page, owner: User) -> None:
    study = busy_study(owner)
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"/s/{study.slug}/?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c")
    page.locator("#agreed").check()
    page.locator("button[value=agree]").click()
    page.locator("form .button").click()
    in_state(page, "ready")
    assert page.evaluate(MOVING) == []
    for address in (
        reverse("analysis:study", args=[study.slug]),
        reverse("studies:clips", args=[study.slug]),
    ):
        page.goto(address)
        assert page.evaluate(MOVING) == [], address


def test_the_look_itself_sees_what_is_wrong(page: Page) -> None:
    page.goto("/")
    assert look(page) == []
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    assert "button-name" in " ".join(look(page))
    page.reload()
    page.evaluate(
        "document.querySelector('h1').append('w'.repeat(200)); document.querySelector('h1').style.whiteSpace = 'pre'"
    )
    page.evaluate("document.querySelector('h1').style.overflowWrap = 'normal'")
    assert "scrolls sideways" in " ".join(look(page))
    page.reload()
    page.emulate_media(reduced_motion="no-preference")
    page.evaluate("document.querySelector('h1').style.transition = 'color 2s'")
    assert page.evaluate(MOVING) == ["h1.#"]


def test_a_text_too_faint_to_read_is_seen_also_where_its_like_was_readable_before(page: Page) -> None:
    page.goto("/")
    paragraph = "document.querySelector('main').append(Object.assign(document.createElement('p'), {id: 'planted'}))"
    page.evaluate(f"{paragraph}; document.querySelector('#planted').textContent = 'A planted sentence'")
    assert look(page) == []
    page.evaluate("document.querySelector('#planted').style.color = '#bbb'")
    assert "at 1280 px: color-contrast" in look(page)[0]
    assert "at 1280 px: color-contrast" in look(page)[0], "what was found once is found again"
    page.evaluate("document.querySelector('#planted').style.color = '#333'")
    [found] = look(page)
    assert "in the dark: color-contrast" in found
    page.evaluate("document.querySelector('#planted').style.color = ''")
    page.evaluate("document.querySelector('main').style.background = 'gray'")
    assert "color-contrast" in " ".join(look(page)), "the text is what it was, on another ground"


def test_an_address_that_was_not_visited_is_named(page: Page) -> None:
    walk = Walk(page)
    walk.see("home")
    assert "home" not in walk.missed("")
    assert walk.missed("analysis:") >= {"analysis:analyses", "analysis:study"}
