"""A researcher goes the rater's whole way before the launch, and nothing of it is left."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from raters.models import Answer, Batch, Rater, Session, TrialClip
from raters.previews import copies
from raters.rating import batches
from studies import task_types
from studies.launch import copies as study_copies
from studies.launch.states import launch
from studies.models import Cell, Clip, Item, Pool, Study
from tests import kinds
from tests.researchers import logged_in, researcher, text

pytestmark = pytest.mark.django_db
every_kind = pytest.mark.parametrize("kind", sorted(task_types.by_name()))
ASKED = {
    "screening__device": "screen_out",
    "screening__volume": True,
    "screening__headphones": "huggins",
    "questionnaire__gender": True,
    "crowd__source": "prolific",
}


def draft(kind: str, now: datetime, **settings: Any) -> tuple[Study, Client]:
    """Return a draft that asks for checks and a questionnaire, and its researcher's browser."""
    study = kinds.make(kind, now=now, launched=False, **{**ASKED, **settings})
    owner = researcher("rosa")
    Study.objects.filter(pk=study.pk).update(owner=owner)
    study.refresh_from_db()
    return study, logged_in(owner)


def begin(browser: Client, study: Study) -> str:
    """Start the preview; return its slug."""
    response = browser.post(reverse("previews:start", args=[study.slug]))
    assert response.status_code == 303, text(response)
    return response["Location"].split("/")[2]


def here(browser: Client, slug: str) -> tuple[str, str]:
    """Return the last part of the address at which the rater's way is, and the page."""
    response = browser.get(reverse("raters:rate", args=[slug]), follow=True)
    assert response.status_code == 200
    return response.redirect_chain[-1][0].split("/")[3], text(response)


def press(browser: Client, slug: str, button: str, **form: str) -> Any:
    return browser.post(reverse("previews:step", args=[slug]), {"do": button, **form})


def counts() -> dict[str, int]:
    """Return the number of rows in every table."""
    return {model._meta.label: model._base_manager.count() for model in apps.get_models() if model._meta.managed}


@every_kind
def test_every_preset_can_be_gone_through_to_its_end_by_skips(kind: str, now: datetime) -> None:
    study, browser = draft(kind, now)
    slug = begin(browser, study)
    way = []
    for _step in range(12):
        at, page = here(browser, slug)
        assert "Preview: nothing is kept" in page
        if at == "end":
            break
        way.append(at)
        press(browser, slug, "skip")
    assert way == ["consent", "check", "check", "check", "instructions", "trial", "questions"]
    assert "DONE1" in page
    assert "Return to Prolific" in page
    assert "app.prolific.com" not in page


@every_kind
def test_a_clip_can_be_passed_over_without_listening(kind: str, now: datetime) -> None:
    study, browser = draft(kind, now)
    slug = begin(browser, study)
    while here(browser, slug)[0] != "trial":
        press(browser, slug, "skip")
    first = TrialClip.objects.filter(trial__served_at__isnull=False, trial__skipped_at=None).first()
    press(browser, slug, "next")
    assert here(browser, slug)[0] == "trial"
    assert first is not None
    assert first.key not in here(browser, slug)[1]
    assert Batch.objects.get().trials.filter(skipped_at__isnull=False).count() == 1


@every_kind
def test_a_preview_meets_traps_as_raters_do(kind: str, now: datetime) -> None:
    study, browser = draft(kind, now)
    slug = begin(browser, study)
    while here(browser, slug)[0] != "trial":
        press(browser, slug, "skip")
    roles = list(Batch.objects.get().trials.values_list("item__role", flat=True))
    protocol = study.definition.protocol
    assert roles.count("trap_flawed") == protocol.flawed_traps
    assert roles.count("trap_human") == protocol.human_traps
    assert roles.count("test") == protocol.tests_per_batch


@every_kind
def test_when_a_preview_ends_every_table_is_as_it_was(kind: str, now: datetime) -> None:
    study, browser = draft(kind, now)
    before = counts()
    slug = begin(browser, study)
    while here(browser, slug)[0] != "end":
        press(browser, slug, "skip")
        for pk in Batch.objects.filter(state="queued").values_list("pk", flat=True):
            batches.validate(pk=pk, now=now)
    press(browser, slug, "again")
    press(browser, slug, "skip")
    assert counts() != before
    response = press(browser, slug, "end")
    assert response["Location"] == reverse("studies:launch", args=[study.slug])
    left = {table: (number, before[table]) for table, number in counts().items() if number != before[table]}
    assert left == {}


def test_an_answer_in_a_preview_needs_the_clip_to_be_heard(now: datetime) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    while here(browser, slug)[0] != "trial":
        press(browser, slug, "skip")
    token = Batch.objects.get().trials.get(served_at__isnull=False).token
    tab = Session.objects.get().tab
    body = {"tab": tab, "key": "0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b"}
    body |= {"answer": {"label": "human", "reason": "The pause before the last word is long"}}  # type: ignore[dict-item]
    sent = browser.post(f"/rate/{slug}/api/answers/{token}", body, content_type="application/json")
    assert sent.status_code == 425
    assert not Answer.objects.exists()


def test_a_live_study_previews_its_draft_and_its_places_stay_as_they_are(now: datetime) -> None:
    study, browser = draft("ternary", now)
    launch(study=study, now=now, rng=Random(1))
    study.draft["texts"]["information"] = "Changed since the launch."
    study.save()
    places = list(study.cells.values_list("pool__pk", "pool__taken", "pool__wanted"))
    items = Item.objects.filter(study=study).count()
    slug = begin(browser, study)
    assert "Changed since the launch." in here(browser, slug)[1]
    while here(browser, slug)[0] != "end":
        press(browser, slug, "skip")
    assert list(study.cells.values_list("pool__pk", "pool__taken", "pool__wanted")) == places
    assert Item.objects.filter(study=study).count() == items
    assert not study.sessions.exists()


def test_a_copy_has_no_real_places(now: datetime) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    while here(browser, slug)[0] != "trial":
        press(browser, slug, "skip")
    cells = Cell.objects.filter(study__preview_of=study)
    assert set(cells.values_list("simulated", flat=True)) == {True}
    assert Pool.objects.filter(cell__in=cells, taken__gt=0).count() == study.definition.protocol.tests_per_batch


def test_a_large_study_is_copied_in_part(now: datetime) -> None:
    study, _browser = draft("ternary", now)
    copy = study_copies.make(study=study, now=now, enough=1)
    assert Clip.objects.filter(study=copy).count() < Clip.objects.filter(study=study).count()
    cells = set(Item.objects.filter(study=copy).values_list("role", "pool__cell__system__name"))
    assert len(cells) == Item.objects.filter(study=copy).count()


def test_what_prevents_a_preview_is_listed(now: datetime) -> None:
    study, browser = draft("ternary", now)
    Clip.objects.filter(study=study, role="trap_flawed").delete()
    response = browser.post(reverse("previews:start", args=[study.slug]))
    assert response.status_code == 409
    assert "There are too few traps" in text(response)
    assert reverse("studies:clips", args=[study.slug]) in text(response)
    Clip.objects.filter(study=study).delete()
    assert "There are no test clips yet" in text(browser.post(reverse("previews:start", args=[study.slug])))
    assert Study.with_previews.count() == 1
    assert not Rater.objects.exists()


def test_a_second_preview_of_a_study_ends_the_first(now: datetime) -> None:
    study, browser = draft("ternary", now)
    first = begin(browser, study)
    second = begin(browser, study)
    assert first != second
    assert Study.with_previews.filter(preview_of=study).count() == 1
    assert browser.get(f"/rate/{first}/").status_code == 404


def test_a_preview_that_was_started_again_is_followed_by_a_second_one(now: datetime) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    press(browser, slug, "again")
    assert begin(browser, study) != slug
    assert Study.with_previews.exclude(pk=study.pk).count() == 1


def test_a_preview_is_deleted_after_a_day(now: datetime) -> None:
    study, browser = draft("ternary", now)
    before = counts()
    begin(browser, study)
    began = Study.with_previews.get(preview_of=study).created_at
    assert copies.end_old(now=began + timedelta(hours=23)) == 0
    assert copies.end_old(now=began + timedelta(hours=25)) == 1
    assert counts() == before
