"""A problem goes from the page as soon as its field is right: seen, spoken politely, and without moving the focus."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from studies.models import Study
from tests.browser.looking import look
from tests.browser.steps import REASON, begin, is_at, link, listen, make_study, rate, save
from tests.browser.test_mushra import click_at, hear_all, slider
from tests.browser.test_mushra import make_study as make_screens
from tests.browser.test_researcher import log_in
from tests.browser.test_screening import agree, hear
from tests.raters.sessions.screening.listener import QUESTIONS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("files")]


def spoken(page: Page) -> Locator:
    """Return the line that is spoken and not seen, on pages without a status line."""
    return page.locator("[data-corrected]")


def test_a_trials_problems_go_one_by_one_as_their_fields_are_filled_in(page: Page) -> None:
    begin(page, make_study())
    listen(page)
    save(page)
    label, reason = page.locator("#label-problem"), page.locator("#reason-problem")
    status, field = page.get_by_role("status"), page.get_by_label("What in the audio")
    expect(label).to_have_text("Please choose one of the three.")
    expect(status).to_have_text("Please look at the marked fields.")
    page.get_by_role("radio", name="Human").press("Space")
    expect(label).to_be_hidden()
    expect(page.get_by_role("radio", name="Human")).to_be_focused()
    expect(page.locator("input[name=label][aria-invalid]")).to_have_count(0)
    expect(page.locator("fieldset.wrong")).to_have_count(0)
    expect(status).to_have_text("No longer marked: Please choose one of the three.")
    expect(status).to_have_class(re.compile("unseen"))
    expect(reason).to_have_text("Please write a little more: 20 letters or digits to go.")
    save(page)
    expect(status).to_have_text("Please look at the marked field.")
    field.press_sequentially("The pause")
    expect(reason).to_have_text("Please write a little more: 12 letters or digits to go.")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill(REASON)
    expect(reason).to_be_hidden()
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    save(page)
    is_at(page, 2)


def test_what_only_the_server_knows_is_taken_back_once_its_field_is_changed(page: Page) -> None:
    refusal = {"error": "invalid", "problems": {"reason": "Say it in your own words."}}
    page.route("**/api/answers/*", lambda route: route.fulfill(status=422, json=refusal), times=1)
    begin(page, make_study())
    listen(page)
    page.get_by_role("radio", name="Human").check()
    page.get_by_label("What in the audio").fill(REASON)
    save(page)
    problem = page.locator("#reason-problem")
    expect(problem).to_have_text("Say it in your own words.")
    page.get_by_role("radio", name="Machine").check()
    expect(problem).to_have_text("Say it in your own words.")
    page.get_by_label("What in the audio").press("End")
    page.keyboard.type("!")
    expect(problem).to_be_hidden()


def test_a_slider_that_was_moved_is_marked_no_more(page: Page) -> None:
    begin(page, make_screens())
    hear_all(page)
    save(page)
    missing = page.get_by_text("Please move this slider.", exact=True)
    expect(missing).to_have_count(3)
    click_at(page, "A", 0.5)
    expect(missing).to_have_count(2)
    expect(slider(page, "A")).not_to_have_attribute("aria-invalid", "true")
    expect(slider(page, "B")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("status")).to_have_text("No longer marked: Please move this slider.")


def test_consent_that_was_missing_is_marked_until_it_is_given(page: Page) -> None:
    page.goto(link(make_study()))
    page.get_by_role("button", name="I agree").click()
    box, problem = page.get_by_label("I have read this"), page.locator("#agreed-problem")
    expect(problem).to_be_visible()
    text = problem.inner_text()
    assert look(page) == []
    box.check()
    expect(problem).to_be_hidden()
    expect(box).to_be_focused()
    expect(box).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator(".field.wrong")).to_have_count(0)
    expect(spoken(page)).to_have_text(f"No longer marked: {text}")
    assert look(page) == []


def test_the_line_about_the_whole_page_goes_with_the_last_of_its_problems(page: Page) -> None:
    page.goto(link(make_study(screening__comprehension="screen_out", screening__questions=QUESTIONS)))
    page.get_by_label("I have read this").check()
    for name in ("I agree", "Start", "Continue"):
        page.get_by_role("button", name=name).click()
    summary = page.get_by_role("alert")
    expect(summary).to_have_text("Please answer every question.")
    first, second = page.locator("fieldset.choice").all()
    first.get_by_role("radio").first.check()
    expect(first.locator(".problem")).to_be_hidden()
    expect(summary).to_be_visible()
    second.get_by_role("radio").last.check()
    expect(summary).to_be_hidden()
    expect(page.locator(".wrong")).to_have_count(0)


def test_a_number_of_beeps_is_marked_until_it_is_typed(page: Page) -> None:
    agree(page, make_study(screening__device="screen_out"))
    hear(page)
    page.get_by_role("button", name="Continue").click()
    problem = page.locator("#digits-problem")
    expect(problem).to_be_visible()
    page.get_by_label("How many beeps").press("4")
    expect(problem).to_be_hidden()
    expect(page.get_by_label("How many beeps")).to_be_focused()


def test_answers_about_oneself_are_marked_until_they_fit(page: Page) -> None:
    begin(page, make_study(questionnaire__questions=["Anything else?"], protocol__batches_per_session=1))
    for _clip in range(3):
        rate(page)
    page.wait_for_url("**/questions/")
    field = page.get_by_label("Anything else?")
    field.evaluate("field => { field.removeAttribute('maxlength'); }")
    field.fill("o" * 2001)
    page.get_by_role("button", name="Save and finish").click()
    expect(page.locator("p.problem")).to_be_visible()
    field.fill("No")
    expect(page.locator("p.problem")).to_be_hidden()
    expect(page.locator(".wrong")).to_have_count(0)


@pytest.fixture
def study() -> Study:
    return make_study()


def test_a_researchers_number_is_marked_until_it_is_in_its_range(page: Page, study: Study) -> None:
    log_in(page)
    Study.objects.update(owner=User.objects.get(username="rita"))
    page.goto(f"/studies/{study.slug}/planning")
    field = page.get_by_label("Power", exact=True)
    field.fill("7")
    page.get_by_role("button", name="Plan", exact=True).click()
    place = page.locator(".field.wrong", has=field)
    expect(place.locator(".problem")).to_be_visible()
    page.get_by_label("Power", exact=True).fill("8")
    expect(place.locator(".problem")).to_be_visible()
    page.get_by_label("Power", exact=True).fill("0.8")
    expect(page.locator(".field.wrong", has=field)).to_have_count(0)
    expect(spoken(page)).to_contain_text("No longer marked:")
    expect(field).to_be_focused()


def test_the_admins_fields_are_marked_until_they_are_filled_in(page: Page, study: Study) -> None:
    log_in(page)
    page.goto("/admin/accounts/apitoken/add/")
    page.locator("form#apitoken_form").evaluate("form => { form.noValidate = true; form.submit() }")
    note, errors = page.locator(".errornote"), page.locator(".errorlist")
    expect(note).to_be_visible()
    expect(errors).to_have_count(2)
    name = page.get_by_label("Name", exact=False).first
    expect(name).to_be_focused()
    name.press_sequentially("Nightly export")
    expect(errors.filter(visible=True)).to_have_count(1)
    expect(note).to_be_visible()
    expect(name).not_to_have_attribute("aria-invalid", "true")
    expect(name).to_be_focused()
    page.get_by_role("checkbox").first.check()
    expect(errors.filter(visible=True)).to_have_count(0)
    expect(page.locator(".form-row.errors")).to_have_count(0)
    expect(note).to_be_hidden()
    expect(spoken(page)).to_contain_text("No longer marked:")
