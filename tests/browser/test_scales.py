"""Several scales for one clip in a real browser: a page for each, each after another play."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from raters.models import Answer, Trial
from studies.definition import presets
from studies.definition.parsing import change, parse
from studies.launch.states import launch
from studies.models import Clip, Study, System
from tests import kinds, world
from tests.browser import steps
from tests.browser.looking import look
from tests.browser.test_all_kinds import NARROW, listen

pytestmark = pytest.mark.django_db(transaction=True)


def make(preset: str, **settings: Any) -> Study:
    """Launch a study of a preset: two systems and a person say three texts, after a prompt where it needs one."""
    study = world.make_study(
        now=timezone.now(), systems=("alpha", "beta"), texts=3, flawed=0, humans=0, seconds=0.5, launch=False
    )
    changes = {**kinds.SMALL, **kinds.UNCHECKED, **{key.replace("__", "."): value for key, value in settings.items()}}
    raw = presets.get(preset).definition.model_dump(mode="json")
    study.draft = parse(change(raw, changes)).model_dump(mode="json")
    study.save()
    human, _is_new = System.objects.get_or_create(study=study, name="human")
    clip = Clip.objects.filter(study=study, role="test").first()
    assert clip is not None
    clip.pk, clip.system, clip.role, clip.text, clip.file = None, human, Clip.Role.PROMPT, None, "prompts/one.wav"
    clip.sha256 = "0" * 64
    clip.save()
    Clip.objects.filter(study=study, role="test").update(prompt_file=clip.file)
    launch(study=study, now=timezone.now(), rng=Random(1))
    return study


def shown_scale(page: Page) -> str:
    scale = page.locator("[data-scale]:visible")
    expect(scale).to_have_count(1)
    return scale.get_attribute("data-scale") or ""


@pytest.mark.parametrize("viewport", [None, NARROW], ids=["wide", "narrow"])
def test_a_trial_of_p835_takes_a_play_for_each_scale_and_stores_one_answer(
    page: Page, viewport: dict[str, int] | None
) -> None:
    if viewport is not None:
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
    steps.begin(page, make("p835"))
    shown = []
    for number in (1, 2, 3):
        expect(page.locator("[data-step]")).to_have_text(f"Question {number} of 3")
        shown.append(shown_scale(page))
        page.get_by_role("radio").nth(number).check()
        steps.save(page, too_early=True)
        expect(page.locator("#advice")).to_contain_text("Please listen")
        assert not Answer.objects.exists()
        listen(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
        assert look(page) == []
        steps.save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")
    answer = Answer.objects.get()
    assert answer.body["answers"] == {shown[0]: "4", shown[1]: "3", shown[2]: "2"}
    assert shown[2] == "ovrl"
    assert Trial.objects.get(answer=answer).shown["public"]["scales"] == shown
    assert [rating.part for rating in answer.trial.ratings.order_by("pk")] == shown


def test_a_reload_continues_at_the_same_scale_and_asks_for_its_play(page: Page) -> None:
    steps.begin(page, make("p835"))
    first = shown_scale(page)
    listen(page)
    page.keyboard.press("3")
    steps.save(page)
    second = shown_scale(page)
    assert second != first
    page.reload()
    steps.in_state(page, "ready")
    assert shown_scale(page) == second
    page.keyboard.press("2")
    for _scale in (2, 3):
        listen(page)
        page.keyboard.press("2")
        steps.save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")
    assert Answer.objects.get().body["answers"][first] == "3"


def test_with_free_playback_the_next_scale_needs_no_play(page: Page) -> None:
    steps.begin(page, make("p835", protocol__playback="record"))
    for _scale in range(3):
        page.get_by_role("radio").first.check()
        steps.save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")


def test_the_target_speaker_comes_first_and_nothing_on_the_page_names_a_system(page: Page) -> None:
    steps.begin(page, make("smos"))
    players = page.locator(".player:visible")
    expect(players).to_have_count(1)
    expect(players).to_contain_text("Target speaker")
    players.locator(".play").click()
    expect(players).to_have_count(2)
    expect(players.nth(1)).to_contain_text("Clip to rate")
    players.nth(1).locator(".play").click()
    steps.in_state(page, "heard")
    for word in ("alpha", "beta", "prompts/", "text-"):
        assert word not in page.content()
    page.get_by_role("radio", name="5").check()
    page.get_by_role("radio", name="No").check()
    steps.save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")
    assert Answer.objects.get().body["answers"] == {"smos": "5", "known": "no"}


MIXED = [
    {
        "name": "Effort",
        "question": "How much effort?",
        "answer": "slider",
        "low": 0,
        "high": 100,
        "labels": ["None", "Much"],
    },
    {
        "name": "Emotion",
        "question": "Which emotion?",
        "answer": "category",
        "labels": ["Joy", "Fear"],
        "codes": ["joy", "fear"],
    },
    {"name": "Words", "question": "What did you hear?", "answer": "text"},
]


def test_a_slider_is_empty_until_it_is_moved_and_text_and_categories_are_asked_for(page: Page) -> None:
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    steps.begin(page, make("scales", task__scales=MIXED, task__way="one_page", task__order="fixed"))
    listen(page)
    slider = page.get_by_role("slider", name="How much effort?")
    expect(slider).to_have_attribute("aria-valuetext", "not rated yet")
    steps.save(page)
    problems = page.locator("form[data-answer] .problem:visible")
    expect(problems).to_have_count(3)
    assert not Answer.objects.exists()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "51")
    page.get_by_role("radio", name="Fear").check()
    page.get_by_role("textbox", name="What did you hear?").fill("A cat sat.")
    expect(problems).to_have_count(0)
    assert look(page) == []
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    steps.save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")
    assert Answer.objects.get().body["answers"] == {"effort": "51", "emotion": "fear", "words": "A cat sat."}


@pytest.mark.parametrize("viewport", [None, NARROW], ids=["wide", "narrow"])
def test_a_transcript_is_written_or_nothing_was_understood(page: Page, viewport: dict[str, int] | None) -> None:
    if viewport is not None:
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
    steps.begin(page, make("transcription"))
    listen(page)
    steps.save(page)
    problems = page.locator("form[data-answer] .problem:visible")
    expect(problems).to_have_text(["Please write what you heard."])
    field, nothing = page.get_by_role("textbox"), page.get_by_role("checkbox", name="I understood nothing")
    field.fill("Some words")
    nothing.check()
    expect(field).to_be_disabled()
    expect(field).to_have_value("")
    expect(problems).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    assert look(page) == []
    steps.save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")
    assert Answer.objects.get().body["answers"] == {"transcript": ""}
    expect(nothing).not_to_be_checked()
    expect(field).to_be_enabled()
    listen(page)
    field.fill("These are words")
    steps.save(page)
    expect(page.locator("form[data-answer]")).to_have_count(0)
    assert Answer.objects.order_by("pk").last().body["answers"] == {"transcript": "These are words"}


@pytest.mark.parametrize("viewport", [None, NARROW], ids=["wide", "narrow"])
def test_several_choices_are_boxes_and_none_of_these_excludes_the_others(
    page: Page, viewport: dict[str, int] | None
) -> None:
    if viewport is not None:
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
    artefacts = {
        "name": "Artefacts",
        "question": "What do you hear?",
        "answer": "several",
        "labels": ["Clicks", "Buzz"],
    }
    scales = [*presets.get("acr-half").definition.model_dump(mode="json")["task"]["scales"], artefacts]
    steps.begin(page, make("acr-half", task__scales=scales, task__way="one_page", task__order="fixed"))
    listen(page)
    page.get_by_label("4 · Good").check()
    steps.save(page, too_early=True)
    expect(page.get_by_text("Please choose at least one.")).to_be_visible()
    page.get_by_label("None of these").check()
    page.get_by_label("Clicks").check()
    expect(page.get_by_label("None of these")).not_to_be_checked()
    page.get_by_label("Buzz").focus()
    page.keyboard.press("2")
    expect(page.get_by_label("Buzz")).to_be_checked()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    assert look(page) == []
    steps.save(page)
    expect(page.locator("#where")).to_contain_text("2 of 2")
    answer = Answer.objects.get()
    assert answer.body["answers"] == {"mos": "4", "artefacts": ["1", "2"]}
    assert list(answer.trial.ratings.order_by("pk").values_list("part", "code")) == [
        ("mos", "4"),
        ("artefacts", "1"),
        ("artefacts", "2"),
    ]
    expect(page.get_by_label("Clicks")).not_to_be_checked()


@pytest.mark.parametrize("viewport", [None, NARROW], ids=["wide", "narrow"])
def test_in_separate_passes_each_trial_asks_one_scale_and_a_new_pass_is_announced(
    page: Page, viewport: dict[str, int] | None
) -> None:
    if viewport is not None:
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
    steps.begin(page, make("p835", task__way="passes", task__last=0, task__order="fixed"))
    again = page.get_by_text("Now rate all clips again, on another question.")
    for number, scale in enumerate(("sig", "bak", "ovrl"), start=1):
        for trial in (1, 2):
            expect(page.locator("#where")).to_contain_text(f"{2 * number - 2 + trial} of 6")
            expect(page.locator("[data-pass]")).to_have_text(f"Question {number} of 3")
            assert shown_scale(page) == scale
            expect(again).to_be_visible(visible=number > 1 and trial == 1)
            if (number, trial) == (2, 1):
                steps.save(page, too_early=True)
                expect(page.locator("#advice")).to_contain_text("Please listen")
                page.reload()
                steps.in_state(page, "ready")
                assert shown_scale(page) == scale
            listen(page)
            page.keyboard.press("4")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
            assert look(page) == []
            steps.save(page)
    expect(page).to_have_url(re.compile("/end/"))
    answers = [answer.body["answers"] for answer in Answer.objects.order_by("trial__position")]
    assert answers == [{scale: "4"} for scale in ("sig", "bak", "ovrl") for _trial in (1, 2)]
