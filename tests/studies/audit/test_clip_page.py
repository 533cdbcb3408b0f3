"""The page of one clip in the study's frame."""

from __future__ import annotations

import re
from datetime import datetime
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from studies.launch import states as studies
from studies.models import Clip, Study
from studies.pool.models import Pool
from tests.researchers import logged_in, researcher, text, url
from tests.studies.audit.material import ALIKE, clip_set, measured, study_of
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


def words_of(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)))


def test_it_plays_the_clip_and_shows_labels_text_and_rounded_measures(
    page: Client, tmp_path: Path, now: datetime, rita: User
) -> None:
    study = study_of(tmp_path / "clips", now, *clip_set(**ALIKE))
    Study.objects.update(owner=rita)
    clip = study.clips.get(file="alpha/t2.wav")
    assert "Level in pauses" not in text(page.get(url("clip", study.slug, clip.pk)))
    measured(study, now)
    html = text(page.get(url("clip", study.slug, clip.pk)))
    shown = words_of(html)
    assert reverse("admin:studies_clip_audio", args=[clip.pk]) in html
    assert "<path" in html
    for fact in ("System alpha", "Role Test clip", "This is text 2.", "16 kHz, 16 bit, PCM, mono"):
        assert fact in shown, fact
    assert re.search(r"Duration 1\.7\d s", shown)
    assert re.search(r"Loudness −\d+\.\d LUFS", shown)
    assert re.search(r"Level in pauses −\d+\.\d dBFS", shown)
    assert "Not used yet: the study has not been launched." in shown
    assert f"edit={clip.pk}" in html


def test_a_measure_that_rounds_to_zero_has_no_minus_sign(
    page: Client, tmp_path: Path, now: datetime, rita: User
) -> None:
    study = measured(study_of(tmp_path / "clips", now, *clip_set(**ALIKE)), now)
    Study.objects.update(owner=rita)
    clip = study.clips.get(file="alpha/t2.wav")
    clip.audit.measures["dc_offset"] = -0.00001
    clip.audit.save()
    assert "DC offset 0.00 %" in words_of(text(page.get(url("clip", study.slug, clip.pk))))


def test_the_table_of_clips_and_the_audit_lead_to_it(page: Client, tmp_path: Path, now: datetime, rita: User) -> None:
    study = study_of(tmp_path / "clips", now, *clip_set(**ALIKE))
    Study.objects.update(owner=rita)
    measured(study, now)
    address = f'href="{url("clip", study.slug, study.clips.get(file="alpha/t2.wav").pk)}"'
    table = text(page.get(url("clips", study.slug)))
    assert address in table
    assert '<a href="#table">' in table
    assert f"{reverse('admin:studies_clip_changelist')}?" not in table
    assert address in text(page.get(url("audit", study.slug)))


def test_a_clip_is_withdrawn_and_restored(page: Client, now: datetime, rita: User) -> None:
    study = make_study(now=now, launch=False, texts=21)
    Study.objects.update(owner=rita)
    study.refresh_from_db()
    studies.launch(study=study, now=now)
    clip = Clip.objects.filter(study=study, role="test").first()
    assert clip
    address, place = url("clip", study.slug, clip.pk), Pool.objects.filter(item__clips__clip=clip)
    assert "Used in 1 item: 0 of 10 places" in text(page.get(address))
    shown = text(page.post(address, {"withdraw": ""}, follow=True))
    assert "Restore clip" in shown
    assert "It has no places for ratings." in shown
    assert place.get().wanted == 0
    assert f"{clip.file} was withdrawn." in text(page.get(reverse("studies:history", args=[study.slug])))
    page.post(address, {"restore": ""})
    assert place.get().wanted == 10


def test_a_clip_of_another_study_is_not_shown(page: Client, now: datetime, rita: User) -> None:
    study, other = make_study(now=now, launch=False, texts=21), make_study(now=now, launch=False, texts=21)
    Study.objects.update(owner=rita)
    clip = other.clips.first()
    assert clip
    assert page.get(url("clip", study.slug, clip.pk)).status_code == 404
    assert page.post(url("clip", study.slug, clip.pk), {"withdraw": ""}).status_code == 404
