"""Nobody but who started a preview gets into it, and no list, page, export or endpoint shows its copy."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from django.contrib import admin
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core import clock
from raters.models import Session
from raters.rating import monitor
from raters.sources.preview import PreviewSource
from studies.definition import queries
from studies.launch.states import launch
from studies.members import access
from studies.models import Study
from tests.raters.previews.test_way import begin, draft, here, press
from tests.researchers import logged_in, researcher, text

pytestmark = pytest.mark.django_db


def test_another_researcher_gets_no_preview_of_a_study_that_is_not_theirs(now: datetime) -> None:
    study, _browser = draft("ternary", now)
    other = logged_in(researcher("otto"))
    assert other.post(reverse("previews:start", args=[study.slug])).status_code == 404
    assert other.get(reverse("previews:start", args=[study.slug])).status_code == 404
    assert Study.with_previews.count() == 1


def test_who_is_not_signed_in_is_sent_to_sign_in(now: datetime) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    for name in ("previews:start", "previews:phone"):
        address = reverse(name, args=[study.slug if name == "previews:start" else slug])
        assert Client().get(address)["Location"].startswith(reverse("admin:login"))
    assert Client().post(reverse("previews:step", args=[slug]))["Location"].startswith(reverse("admin:login"))


def test_the_addresses_of_a_preview_open_nothing_for_others_even_with_its_cookie(now: datetime) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    [cookie] = [morsel for name, morsel in browser.cookies.items() if name.startswith("earshot_rater")]
    stranger, other = Client(), logged_in(User.objects.create_superuser("root", password="pw"))
    for client in (stranger, other):
        client.cookies["earshot_rater"] = cookie.value
        assert client.get(f"/rate/{slug}/consent/").status_code == 404
        assert slug not in text(client.get(f"/rate/{slug}/consent/"))
    assert other.get(reverse("previews:phone", args=[slug])).status_code == 404
    assert other.post(reverse("previews:step", args=[slug]), {"do": "end"}).status_code == 404
    assert browser.get(f"/rate/{slug}/consent/").status_code == 200


def test_nobody_arrives_in_a_preview_by_a_link(now: datetime) -> None:
    study, browser = draft("ternary", now, crowd__source="open")
    slug = begin(browser, study)
    link = PreviewSource().link("", slug, study.definition.crowd)
    for address in (f"/s/{slug}/", link):
        assert Client().get(address).status_code == 404
        assert Client().post(address).status_code == 404
    assert Session.objects.count() == 1


def test_no_query_of_studies_knows_the_copy(now: datetime) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    root = User.objects.create_superuser("root", password="pw")
    assert list(access.visible(root)) == [study]
    assert list(Study.objects.all()) == [study]
    assert queries.unknown([slug]) == [slug]
    with pytest.raises(Exception, match="There is no study"):
        queries.get(slug)


def test_pages_lists_and_endpoints_show_the_study_and_not_its_copy(now: datetime) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    while here(browser, slug)[0] != "trial":
        press(browser, slug, "skip")
    press(browser, slug, "skip")
    copy = Study.with_previews.get(slug=slug)
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    for client in (browser, root):
        assert slug not in text(client.get(reverse("workspace:home")))
        assert slug not in text(client.get(reverse("admin:studies_study_changelist")))
        assert client.get(reverse("analysis:study", args=[slug])).status_code == 404
        assert client.get(reverse("admin:studies_study_change", args=[copy.pk])).status_code == 302
        api = client.get("/api/v1/studies")
        assert api.status_code == 200
        assert study.slug in text(api)
        assert slug not in text(api)
        assert client.get(f"/api/v1/studies/{slug}").status_code == 404
    for model in ("studies_clip", "studies_studyversion", "raters_session", "raters_batch"):
        name = model.partition("_")[2]
        registered = {each._meta.model_name for each in admin.site._registry}
        if name in registered:
            assert slug not in text(root.get(reverse(f"admin:{model}_changelist"))), model


def test_a_preview_counts_as_nobody_at_work(now: datetime, tmp_path: Path) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    while here(browser, slug)[0] != "trial":
        press(browser, slug, "skip")
    assert monitor.at_work(clock.now()) == 0
    assert list(study.sessions.all()) == []
    with pytest.raises(Exception, match="There is no study"):
        call_command("export_study", slug, "--out", str(tmp_path / "out"))


def test_a_rater_of_the_live_study_never_meets_the_bar(now: datetime) -> None:
    study, browser = draft("ternary", now)
    launch(study=study, now=now)
    slug = begin(browser, study)
    assert "data-preview" in here(browser, slug)[1]
    rater = Client()
    page = rater.get(f"/s/{study.slug}/?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c", follow=True)
    assert page.status_code == 200
    assert "preview" not in text(page).lower()
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"


def test_only_this_server_may_frame_the_pages_of_a_preview(now: datetime) -> None:
    study, browser = draft("ternary", now)
    slug = begin(browser, study)
    page = browser.get(f"/rate/{slug}/consent/", headers={"Sec-Fetch-Dest": "iframe"})
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"]
    assert "X-Frame-Options" not in page
    assert "data-preview" not in text(page)
    wrapper = browser.get(reverse("previews:phone", args=[slug]))
    assert "frame-ancestors 'none'" in wrapper["Content-Security-Policy"]
    assert "default-src 'self'" in wrapper["Content-Security-Policy"]
    assert f'src="/rate/{slug}/"' in text(wrapper)


def test_a_preview_speaks_the_languages_of_its_study(now: datetime) -> None:
    study, browser = draft("ternary", now, texts__language="zh-hans")
    slug = begin(browser, study)
    page = here(browser, slug)[1]
    assert '<html lang="zh-hans"' in page
    assert "同意" in page
    assert "Preview: nothing is kept" in page
