"""From an empty study to accepted questions by keys, and to drafted texts that wait for review."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from studies.corpus.models import CorpusText
from studies.definition import presets
from studies.definition.definition import parse
from studies.drafting.models import DraftQuestion
from studies.drafting.stand_in import StandIn
from studies.models import Question, Study
from tests.browser.looking import look
from tests.studies.drafting.material import passages
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


def test_a_researcher_drafts_questions_and_decides_on_them_by_keys(page: Page, owner: User) -> None:
    study = passages(timezone.now())
    wrong = []
    page.goto(reverse("admin:studies_study_clips", args=[study.pk]))
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
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("Accepted")
    expect(page.locator("#question-title")).not_to_have_text(first)
    page.keyboard.press("u")
    expect(page.locator("#question-title")).to_have_text(first)
    assert not Question.objects.exists()
    page.keyboard.press("e")
    expect(page.locator("#prompt")).to_be_focused()
    page.locator("#prompt").fill("Which word was said first?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#question-title")).to_have_text("Which word was said first?")
    wrong += look(page)
    page.keyboard.press("n")
    expect(page.locator("#question-title")).not_to_have_text("Which word was said first?")
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text("Rejected")
    for left in range(number - 1, 0, -1):
        expect(page.locator("#place")).to_contain_text(f"of {left} that")
        page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    wrong += look(page)
    assert Question.objects.filter(study=study).count() == number - 1
    assert Question.objects.filter(prompt="Which word was said first?").exists()
    page.get_by_role("link", name="See decisions").click()
    expect(page.get_by_role("table")).to_contain_text("rejected")
    wrong += look(page)
    assert wrong == []


def test_a_researcher_drafts_texts_that_wait_for_review(page: Page, owner: User) -> None:
    draft = parse(presets.get("att").definition.model_dump(mode="json")).model_dump(mode="json")
    study = Study.objects.create(slug="empty", title="Empty", draft=draft, owner=owner)
    wrong = []
    page.goto(reverse("admin:studies_study_texts", args=[study.pk]))
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
    page.goto(reverse("admin:studies_study_clips", args=[study.pk]))
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
