"""The page that creates a study from a question: who may use it, what it makes, and what it says of a mistake."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.users.roles import RESEARCHERS
from studies.definition import presets
from studies.launch.new_study import free_slug
from studies.launch.settings_forms import settings_form
from studies.models import Study
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text, url
from workspace import new_study

NEW = "/new-study/"
SENT = {"preset": "att", "title": "Voices of spring", "language": "en", "slug": ""}


@pytest.fixture
def rita(db: None) -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


def test_every_preset_is_a_choice_and_none_is_chosen_yet(page: Client) -> None:
    shown = text(page.get(NEW))

    radios = re.findall(r'<input type="radio" name="preset" value="([^"]+)"[^>]*?( checked)?>', shown)
    assert {name for name, _checked in radios} == presets.by_name().keys()
    assert not any(checked for _name, checked in radios)
    assert shown.count("ws-pictures") == len(radios)


def test_a_preset_without_a_question_shows_its_label_and_summary(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_study, "CARDS", new_study.CARDS[1:])

    shown = text(page.get(NEW))

    assert "How good does it sound?" not in shown
    assert presets.get("acr").label in shown
    assert presets.get("acr").summary in shown


@pytest.mark.parametrize("preset", ["acr", "acr-half", "acr-9", "mushra"])
def test_a_card_asks_for_quality_where_its_preset_does(preset: str) -> None:
    card = next(card for card in (*new_study.CARDS, *new_study.MORE) if card.preset == preset)
    assert "quality" in str(presets.get(preset).definition.task)
    assert "natural" not in f"{card.question} {card.about}"


def test_naturalness_is_asked_for_with_the_question_instructions_and_labels_of_naturalness(page: Client) -> None:
    page.post(NEW, {**SENT, "preset": "naturalness"})
    definition = Study.objects.get().definition
    [scale] = definition.params.scales
    assert "natural" in scale.question
    assert all("natural" in label for label in scale.labels)
    assert "how natural it sounds" in definition.texts.instructions
    assert "quality" not in scale.question


def test_where_raters_come_from_is_chosen_with_the_question(page: Client) -> None:
    assert '<option value="prolific" selected>Prolific</option>' in text(page.get(NEW))
    page.post(NEW, {**SENT, "preset": "hfr", "source": "open"})
    crowd = Study.objects.get().definition.crowd
    assert (crowd.source, crowd.return_url) == ("open", "")
    form = settings_form("hfr")(study=Study.objects.get())
    assert form.is_default("crowd.source")
    assert form.is_default("crowd.return_url")
    assert form.defaults["crowd.return_url"] == ""
    design = text(page.get(reverse("studies:design", args=[Study.objects.get().slug])))
    assert "Default: Prolific" not in design


def test_a_closed_platform_is_not_offered(page: Client) -> None:
    assert 'value="mturk"' not in text(page.get(NEW))
    page.post(NEW, {**SENT, "preset": "hfr", "source": "mturk"})
    assert not Study.objects.exists()


def test_a_title_is_enough_for_a_study_of_ones_own_and_leads_to_its_clips(page: Client, rita: User) -> None:
    answer = page.post(NEW, {**SENT, "preset": "hfr"})

    study = Study.objects.get()
    assert answer.headers["Location"] == url("clips", study.slug)
    assert (study.title, study.slug, study.owner) == ("Voices of spring", "voices-of-spring", rita)
    assert (study.draft["preset"], study.state) == ("hfr", "draft")
    assert "The study was created" in text(page.get(answer.headers["Location"]))


@pytest.mark.parametrize(("sent", "made"), [({"anchors": "on"}, ["3.5 kHz", "7 kHz"]), ({}, [])])
def test_the_question_about_anchors_sets_them(page: Client, sent: dict[str, str], made: list[str]) -> None:
    page.post(NEW, {**SENT, "preset": "mushra", **sent})

    assert Study.objects.get().draft["task"]["anchors"] == made


def test_the_texts_come_in_the_chosen_language(page: Client) -> None:
    page.post(NEW, {**SENT, "title": "声音", "language": "zh-hans"})

    study = Study.objects.get()
    assert study.definition.texts.language == "zh-hans"
    assert study.slug == "att"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Voices of spring", "voices-of-spring-3"),
        ("Château — été 2026!", "chateau-ete-2026"),
        ("Große Stimmen", "grosse-stimmen"),
        ("声音", "hfr-granular"),
        ("声音 7", "hfr-granular"),
        ("long " * 40, "-".join(["long"] * 10)),
    ],
)
def test_an_address_is_made_of_the_title_and_is_free(db: None, title: str, slug: str) -> None:
    draft = presets.get("att").definition.model_dump(mode="json")
    for number in ("", "-2"):
        Study.objects.create(slug=f"voices-of-spring{number}", title="t", draft=draft)

    assert free_slug(title, otherwise="hfr-granular") == slug


def test_an_address_of_ones_own_is_used(page: Client) -> None:
    page.post(NEW, {**SENT, "slug": "spring-26"})

    assert Study.objects.get().slug == "spring-26"


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"title": " "}, "id_title", "Write a title."),
        ({"title": "x" * 201}, "id_title", "at most 200 characters"),
        ({"slug": "My Study"}, "id_slug", "lower-case letters"),
        ({"slug": "taken"}, "id_slug", "Another study has this address"),
        ({"language": "fr"}, "id_language", "valid choice"),
    ],
)
def test_a_mistake_is_told_beside_its_field_and_creates_nothing(
    page: Client, change: dict[str, Any], field: str, problem: str
) -> None:
    page.post(NEW, {**SENT, "slug": "taken"})

    answer = page.post(NEW, {**SENT, "preset": "mushra", **change})

    shown = text(answer)
    assert answer.status_code == 400
    told = re.search(rf'<p class="problem" id="{field}_error" role="alert">([^<]+)</p>', shown)
    assert told
    assert problem in told[1]
    assert re.findall(r"<(?:input|select)[^>]* autofocus[^>]*>", shown)[0].count(f'id="{field}"') == 1
    assert re.search(r'value="mushra"[^>]* checked>', shown)
    assert "title" in change or 'value="Voices of spring"' in shown
    assert ("<details open>" in shown) is ("slug" in change)
    assert Study.objects.count() == 1


@pytest.mark.parametrize("preset", ["", "missing"])
def test_without_a_question_nothing_is_created(page: Client, preset: str) -> None:
    answer = page.post(NEW, {**SENT, "preset": preset})

    assert answer.status_code == 400
    assert 'class="problem" role="alert"' in text(answer)
    assert not Study.objects.exists()


def test_a_study_starts_from_another_one_with_or_without_its_clips(
    page: Client, rita: User, now: datetime, files: Path
) -> None:
    origin = World(now, {"launch": False}).study
    Study.objects.update(owner=rita)
    assert "Start from an existing study" in text(page.get(NEW))
    sent = {"title": "Second", "language": "en", "origin": origin.slug}

    answer = page.post(NEW, {**sent, "with_clips": "on", "excludes": "on"})
    page.post(NEW, {**sent, "title": "Third"})

    second, third = (Study.objects.get(slug=slug) for slug in ("second", "third"))
    assert answer.headers["Location"] == reverse("workspace:overview", args=["second"])
    assert (second.clips.exists(), third.clips.exists()) == (True, False)
    assert (second.definition.recruitment.not_in_studies, third.definition.recruitment.not_in_studies) == (
        (origin.slug,),
        (),
    )


def test_only_those_who_may_add_studies_open_the_page_and_see_its_button(page: Client, rita: User) -> None:
    home = reverse("workspace:home")
    assert f'href="{NEW}"' in text(page.get(home))

    group = Group.objects.get(name=RESEARCHERS)
    group.permissions.remove(*group.permissions.filter(codename="add_study"))
    visitor = logged_in(rita)

    assert f'href="{NEW}"' not in text(visitor.get(home))
    assert visitor.get(NEW).status_code == 403
    assert visitor.post(NEW, SENT).status_code == 403
    assert visitor.get(url("add")).status_code == 403
    assert Client().get(NEW).status_code == 302
    assert not Study.objects.exists()


def test_the_admins_add_page_is_this_form(page: Client) -> None:
    assert text(page.get(url("add"))).count('name="preset"') == text(page.get(NEW)).count('name="preset"') > 1
