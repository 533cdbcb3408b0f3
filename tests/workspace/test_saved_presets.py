"""Presets of this server: saved from a study with scales, made into others, and deleted by their author."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from studies.launch import saved_presets
from studies.models import SavedPreset, Study
from tests.researchers import logged_in, researcher, text
from tests.workspace.test_design import make, page, rita

__all__ = ("page", "rita")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
NEW = reverse("workspace:new")
EFFORT = {"name": "Effort", "question": "How hard was it to understand?", "labels": ["Hard", "Easy"]}
SENT = {"name": "Listening effort", "description": "As in our lab"}


@pytest.fixture
def study(rita: User, now: datetime) -> Study:
    study = make("scales", now, rita)
    study.draft["task"]["scales"] = [{**study.draft["task"]["scales"][0], **EFFORT}]
    study.draft["protocol"]["ratings_wanted"] = 17
    study.draft["texts"] |= {"contact": "rita@lab.example", "instructions": "Listen for effort."}
    study.draft["crowd"]["completion_code"] = "RITA17"
    study.draft["payment"]["rate"] = 12.5
    study.save()
    return study


def save(page: Client, study: Study, **sent: Any) -> SavedPreset | None:
    reply = page.post(reverse("studies:save_preset", args=[study.slug]), {**SENT, **sent})
    assert reply.status_code == 302
    return SavedPreset.objects.first()


def test_a_study_of_a_saved_preset_has_its_scales_texts_and_protocol_and_nothing_personal(
    page: Client, study: Study
) -> None:
    preset = save(page, study)
    assert preset is not None
    assert (preset.slug, preset.name, preset.author) == ("listening-effort", "Listening effort", study.owner)
    listed = text(page.get(NEW))
    assert "Presets of this server" in listed
    assert "As in our lab" in listed
    assert page.post(NEW, {"preset": preset.slug, "title": "Second", "language": "zh-hans"}).status_code == 302
    other = Study.objects.get(slug="second").definition
    assert [scale.name for scale in other.params.scales] == ["Effort"]
    assert (other.preset, other.protocol.ratings_wanted) == ("scales", 17)
    assert (other.texts.instructions, other.texts.language, other.texts.contact) == ("Listen for effort.", "en", "")
    assert (other.payment.rate, other.crowd.completion_code == "RITA17") == (None, False)


def test_a_study_is_made_of_a_saved_preset_from_a_shell(page: Client, study: Study) -> None:
    save(page, study)
    call_command("create_study", "from-shell", preset="listening-effort", verbosity=0)
    assert Study.objects.get(slug="from-shell").definition.params.scales[0].name == "Effort"


@pytest.mark.parametrize("sent", [{"name": " "}, {"name": "x" * 101}])
def test_a_preset_without_a_fitting_name_is_not_saved(sent: dict[str, str], page: Client, study: Study) -> None:
    assert save(page, study, **sent) is None


def test_a_name_is_given_once_and_an_address_is_never_that_of_another_preset(page: Client, study: Study) -> None:
    save(page, study, name="ACR")
    save(page, study, name="acr")
    save(page, study, name="ACR")
    assert list(SavedPreset.objects.order_by("pk").values_list("name", "slug")) == [("ACR", "acr-2"), ("acr", "acr-3")]


def test_only_the_author_or_an_administrator_deletes_a_preset(page: Client, study: Study) -> None:
    preset = save(page, study)
    assert preset is not None
    address = reverse("workspace:delete_preset", args=[preset.slug])
    other = logged_in(researcher("otto"))
    assert other.post(address).status_code == 403
    assert address not in text(other.get(NEW))
    assert address in text(page.get(NEW))
    assert page.post(address).status_code == 302
    assert saved_presets.listed() == []
    preset = save(page, study)
    root = User.objects.create_superuser("root", password="pw")
    assert logged_in(root).post(address).status_code == 302
    assert saved_presets.listed() == []


def test_only_those_who_may_change_a_study_with_scales_save_it(page: Client, study: Study, now: datetime) -> None:
    address = reverse("studies:save_preset", args=[study.slug])
    assert address in text(page.get(reverse("studies:design", args=[study.slug])))
    assert logged_in(researcher("otto")).post(address, SENT).status_code in {403, 404}
    other = make("acr", now, study.owner)
    address = reverse("studies:save_preset", args=[other.slug])
    assert page.post(address, SENT).status_code == 302
    assert address not in text(page.get(reverse("studies:design", args=[other.slug])))
    assert saved_presets.listed() == []
