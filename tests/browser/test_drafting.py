"""From an empty study to accepted questions by keys, and to drafted texts that wait for review."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from demo.stand_in import StandIn
from studies.corpus.models import CorpusText
from studies.definition import presets
from studies.definition.parsing import parse
from studies.drafting import inspecting
from studies.drafting.models import DraftQuestion, DraftRun
from studies.models import Question, Study
from tests.browser.looking import look
from tests.studies.drafting.material import ask, hear, passages
from tests.workers import work_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


@pytest.fixture
def owner(page: Page, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[User]:
    """Sign a researcher in, beside a worker that works at once and a stand-in for the language model."""
    monkeypatch.setattr("core.nudge._send", work_at_once)
    server = StandIn()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    settings.DRAFT_URL, settings.DRAFT_MODEL = server.url, "stand-in"
    user = User.objects.create_superuser("rosa", password="pw")
    page.goto("/admin/login/")
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill("pw")
    page.get_by_role("button", name="Log in").click()
    yield user
    server.shutdown()
    server.server_close()


def ready(page: Page) -> None:
    """Wait until the page of a question takes keys."""
    expect(page.locator("#inspect")).to_have_attribute("data-ready", "")


def test_a_researcher_drafts_questions_and_decides_on_them_by_keys(page: Page, owner: User) -> None:
    study = passages(timezone.now())
    wrong = []
    page.goto(reverse("studies:clips", args=[study.slug]))
    page.get_by_role("link", name="Drafts").click()
    wrong += look(page)
    page.get_by_role("button", name="Draft questions").click()
    page.wait_for_url("**/drafting/runs/*/**")
    wrong += look(page)
    page.get_by_role("link", name="Inspect questions").click()
    wrong += look(page)
    number = DraftQuestion.objects.count()
    expect(page.locator("#place")).to_contain_text(f"1 of {number}")
    expect(page.locator(".drafting-passage")).to_contain_text("Talladega")
    expect(page.locator("audio")).to_be_visible()
    first = page.locator("#question-title").inner_text()
    ready(page)
    # Nothing is decided before the passage was played, and the page says why.
    hint = page.get_by_text("Play the passage first, then decide.")
    expect(hint).to_be_visible()
    expect(page.get_by_role("button", name="Accept")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("a")
    expect(hint).to_be_focused()
    page.keyboard.press("Space")
    expect(hint).to_have_count(0)
    expect(page.get_by_role("button", name="Accept")).not_to_have_attribute("aria-disabled", "true")
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("Accepted")
    expect(page.locator("#question-title")).not_to_have_text(first)
    ready(page)
    page.keyboard.press("u")
    expect(page.locator("#question-title")).to_have_text(first)
    ready(page)
    assert not Question.objects.exists()
    page.keyboard.press("e")
    expect(page.locator("#prompt")).to_be_focused()
    page.locator("#prompt").fill("Which word was said first?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#question-title")).to_have_text("Which word was said first?")
    wrong += look(page)
    ready(page)
    page.keyboard.press("n")
    expect(page.locator("#question-title")).not_to_have_text("Which word was said first?")
    ready(page)
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text("Rejected")
    for left in range(number - 1, 0, -1):
        expect(page.locator("#place")).to_contain_text(f"of {left} that")
        ready(page)
        page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    wrong += look(page)
    assert Question.objects.filter(study=study).count() == number - 1
    assert Question.objects.filter(prompt="Which word was said first?").exists()
    page.get_by_role("link", name="See decisions").click()
    expect(page.get_by_role("table")).to_contain_text("rejected")
    wrong += look(page)
    assert wrong == []


def test_a_disagreement_is_settled_once_its_passage_was_played(page: Page, owner: User) -> None:
    study = passages(timezone.now())
    run = ask(study, timezone.now(), number=2, people=2, tries=0)
    work_at_once(run.task_name, run.pk)
    row = DraftQuestion.objects.order_by("pk")[0]
    for name, accepts in (("ann", True), ("ben", False)):
        user = User.objects.create_user(name)
        hear(study, user)
        inspecting.decide(study=study, pk=row.pk, user=user, accepts=accepts, revision=0, now=timezone.now())
    page.goto(reverse("drafting:decisions", args=[study.slug]))
    hint = page.get_by_text("Play the passage first, then decide.")
    page.get_by_role("button", name="Accept").press("Enter")
    expect(hint).to_be_focused()
    assert look(page) == []
    page.locator("audio").evaluate("sound => sound.play()")
    expect(hint).to_have_count(0)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status")).to_contain_text("The question is settled.")
    assert Question.objects.count() == 1


def test_a_researcher_drafts_texts_that_wait_for_review(page: Page, owner: User) -> None:
    draft = parse(presets.get("att").definition.model_dump(mode="json")).model_dump(mode="json")
    study = Study.objects.create(slug="empty", title="Empty", draft=draft, owner=owner)
    wrong = []
    page.goto(reverse("studies:texts", args=[study.slug]))
    page.get_by_role("link", name="Draft with a language model").click()
    page.get_by_label("Dimension").select_option("polyphones")
    page.get_by_label("Number of texts").fill("3")
    page.get_by_label("Language").fill("en")
    page.get_by_role("button", name="Draft texts").click()
    page.wait_for_url("**/drafting/runs/*/**")
    expect(page.locator(".drafting-texts > li")).to_have_count(3)
    wrong += look(page)
    page.get_by_role("link", name="Review texts").first.click()
    page.wait_for_url("**/texts/?state=draft#review")
    expect(page.locator("[data-text]").first).to_be_focused()
    assert set(CorpusText.objects.values_list("state", "dimension")) == {("draft", "polyphones")}
    expect(page.get_by_text("draft-1-001").or_(page.get_by_text("-001")).first).to_be_visible()
    page.goto(reverse("drafting:prompt", args=[study.slug]))
    wrong += look(page)
    assert wrong == []


def test_the_figures_of_a_run_move_without_a_reload(page: Page, owner: User) -> None:
    study, now = passages(timezone.now()), timezone.now()
    run = ask(study, now)
    DraftRun.objects.filter(pk=run.pk).update(state="running", lease_until=now + timedelta(hours=1))
    page.goto(reverse("drafting:run", args=[study.slug, run.pk]))
    page.evaluate("document.body.dataset.same = 'page'")
    expect(page.locator("[data-figure=calls]")).to_have_text("0 of at most 1000")
    DraftRun.objects.filter(pk=run.pk).update(calls=7, tokens=1234, done=2)
    expect(page.locator("[data-figure=calls]")).to_have_text("7 of at most 1000")
    expect(page.locator("[data-figure=tokens]")).to_have_text("1234 of at most 200000")
    expect(page.locator("body")).to_have_attribute("data-same", "page")
    assert look(page) == []


def test_a_researcher_writes_corrects_and_deletes_questions_by_keys(page: Page, owner: User) -> None:
    study = passages(timezone.now())
    wrong = []

    def focus() -> str:
        return str(page.evaluate("document.activeElement.id"))

    def fill(*values: str) -> None:
        """Fill the form in from the field that has the focus to its end, and send it."""
        for value in values:
            page.keyboard.type(value)
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")

    text = study.texts.get()
    page.goto(reverse("studies:questions", args=[study.slug]))
    wrong += look(page)
    page.get_by_role("link", name=f"Write a question about {text.name}").press("Enter")
    page.wait_for_url("**write=*")
    expect(page.locator(f"#write{text.pk}_question")).to_be_focused()
    wrong += look(page)
    fill("Which bill was signed?", "2046", "2064", "p", "2046", "s")
    # What is wrong has the focus, and what was typed is there.
    expect(page.locator(f"#write{text.pk}_distractor_2")).to_be_focused()
    expect(page.locator(f"#write{text.pk}_distractor_2_type")).to_have_value("semantic")
    expect(page.get_by_text("A distractor is the same as the right answer.")).to_be_visible()
    wrong += look(page)
    page.keyboard.press("Control+a")
    fill("2047", "s")
    question = expect(page.get_by_text("The question", exact=False).first)
    question.to_be_visible()
    expect(page.locator(f"#write-{text.pk}")).to_be_focused()
    stored = Question.objects.get(study=study)
    wrong += look(page)
    page.get_by_role("link", name="Edit", exact=True).press("Enter")
    expect(page.locator(f"#edit{stored.pk}_question")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Which bill?")
    page.get_by_role("button", name="Save question").press("Enter")
    expect(page.get_by_text("Which bill?", exact=True)).to_be_visible()
    assert focus() == f"question-{stored.pk}"
    page.get_by_role("button", name="Delete").press("Enter")
    expect(page.get_by_text("was deleted")).to_be_visible()
    assert focus() == f"question-{stored.pk}"
    assert not Question.objects.exists()
    wrong += look(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Which bill?", exact=True)).to_be_visible()
    assert focus() == f"question-{stored.pk}"
    assert Question.objects.get().prompt == "Which bill?"
    assert wrong == []


def test_without_a_model_the_page_says_so(page: Page, owner: User, settings: Any) -> None:
    settings.DRAFT_URL = ""
    study = passages(timezone.now())
    page.goto(reverse("drafting:home", args=[study.slug]))
    expect(page.get_by_role("heading", name="No language model is set up")).to_be_visible()
    assert look(page) == []


def test_a_researcher_imports_questions_for_passages_that_are_there(page: Page, owner: User) -> None:
    study = passages(timezone.now())
    passage = study.texts.get().name
    head = "passage,question,correct,distractor_1,distractor_1_error,distractor_2,distractor_2_error\n"
    rows = f"{passage},Who signed it?,Marsh,March,phonetic,Okafor,semantic\n{passage},Where?,Talladega,Tulsa,phonetic,"

    def send(content: str) -> None:
        file = {"name": "q.csv", "mimeType": "text/csv", "buffer": content.encode()}
        page.get_by_label("Questions (CSV)", exact=True).set_input_files(file)  # type: ignore[arg-type]
        page.get_by_role("button", name="Check the lists").click()

    wrong = []
    page.goto(reverse("studies:clips", args=[study.slug]))
    page.get_by_role("link", name="import or draft questions").click()
    expect(page.get_by_text("1 passage has fewer than 2 questions.")).to_be_visible()
    wrong += look(page)
    send(f"{head}{rows}Tampa,fonetic\n")
    expect(page.get_by_role("cell", name="“fonetic” is not a type of error", exact=False)).to_be_visible()
    wrong += look(page)
    page.get_by_role("link", name="Choose other lists").click()
    send(f"{head}{rows}Tampa,semantic\n")
    expect(page.get_by_text("2 questions are new.")).to_be_visible()
    wrong += look(page)
    assert not study.questions.exists()
    page.get_by_role("button", name="Import questions").click()
    expect(page.get_by_text("2 questions were added and 0 changed.")).to_be_visible()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download questions (CSV)").click()
    send(downloading.value.path().read_text(encoding="utf-8-sig").replace("Marsh", "Ellen Marsh"))
    expect(page.get_by_text("1 gets other answers. 1 stays as it is.")).to_be_visible()
    wrong += look(page)
    page.get_by_role("button", name="Import questions").click()
    expect(page.get_by_text("0 questions were added and 1 changed.")).to_be_visible()
    assert set(study.questions.values_list("options__0__text", flat=True)) == {"Ellen Marsh", "Talladega"}
    assert wrong == []
