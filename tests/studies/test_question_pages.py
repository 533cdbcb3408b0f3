"""Questions in the admin: sent beside the clips where the task asks them, and read there afterwards."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core.errors import Conflict
from core.jobs import DONE
from studies.imports import changes
from studies.models import ClipImport, Question, Study, Text
from studies.tasks import import_clips
from tests import audio
from tests.researchers import logged_in, researcher, text, url
from tests.studies.imports.helpers import GOLDEN, PASSAGES, QUESTIONS, SPOKEN, draft

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
LIST = "admin:studies_question_changelist"


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    """Return Rita's browser."""
    return logged_in(rita)


@pytest.fixture
def study(rita: User) -> Study:
    return Study.objects.create(slug="one", title="One", draft=draft("sp-mcqa"), owner=rita)


@pytest.fixture
def asked(study: Study) -> Question:
    options = [{"text": "Six <hours>", "error": ""}, {"text": "Sixteen hours", "error": "phonetic"}]
    return Question.objects.create(
        study=study, name="p1/1", text=Text.objects.create(study=study, name="p1"), prompt="How long?", options=options
    )


def send(page: Client, study: Study, **lists: str) -> Any:
    files = {name: SimpleUploadedFile(f"{name}.csv", content.encode()) for name, content in lists.items()}
    files["manifest"] = SimpleUploadedFile("manifest.csv", audio.manifest(PASSAGES))
    files["archive"] = SimpleUploadedFile("clips.zip", audio.zipped(SPOKEN))
    return page.post(url("clips", study.slug), files)


@pytest.mark.processes
def test_questions_are_sent_beside_the_clips_and_counted(page: Client, study: Study) -> None:
    sent = send(page, study, questions=QUESTIONS, golden=GOLDEN)
    job = ClipImport.objects.get()
    assert sent.headers["Location"] == url("import", study.slug, job.pk)
    import_clips(job.pk)
    assert "4 clips were added. 6 questions were added." in text(page.get(url("import", study.slug, job.pk)))
    html = text(page.get(url("clips", study.slug)))
    assert "4 clips added, 6 questions added" in html
    assert f'<a href="{url("questions", study.slug)}">6 questions</a>' in html


def test_a_task_that_asks_nothing_offers_no_fields_for_questions(page: Client, study: Study) -> None:
    assert 'name="questions"' in text(page.get(url("clips", study.slug)))
    Study.objects.update(draft=draft("att"))
    html = text(page.get(url("clips", study.slug)))
    assert 'name="manifest"' in html
    assert not any(f'name="{name}"' in html for name in ("questions", "golden"))
    assert reverse(LIST) not in html


def test_a_list_with_another_ending_is_told_beside_its_field(page: Client, study: Study) -> None:
    files = {"golden": SimpleUploadedFile("golden.xlsx", b"PK"), "questions": SimpleUploadedFile("q.csv", b"")}
    refused = page.post(url("clips", study.slug), files)
    assert ".csv" in refused.context["form"].errors["golden"][0]
    assert "empty" in refused.context["form"].errors["questions"][0]
    assert not ClipImport.objects.exists()


@pytest.mark.processes
def test_a_refused_list_is_named_beside_its_rows(page: Client, study: Study) -> None:
    send(
        page,
        study,
        questions=QUESTIONS.replace("phonetic", "fonetic", 1).replace("syntax", "phonetic"),
        golden=GOLDEN.replace("Fifteen", ""),
    )
    job = ClipImport.objects.get()
    import_clips(job.pk)
    html = text(page.get(url("import", study.slug, job.pk)))
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert cells[1:5] == ["Questions", "distractor_1_error", "2", "–"]
    assert cells[6:10] == ["Golden questions", "correct", "3", "–"]
    assert all(f'name="{name}"' in html for name in ("questions", "golden"))
    assert "nothing imported: 2 problems to fix" in text(page.get(url("clips", study.slug)))
    assert not study.questions.exists()
    assert not study.clips.exists()


def test_a_report_on_the_manifest_alone_has_no_column_for_lists(page: Client, study: Study, now: datetime) -> None:
    line = {"row": 2, "file": "a.wav", "column": "role", "reason": "No role.", "warning": False}
    for tables, is_there in ((["manifest"], False), (["manifest", "golden"], True), ([None], False)):
        report = [line | ({"table": table} if table else {}) for table in tables]
        job = ClipImport.objects.create(study=study, created_at=now, manifest_name="m.csv", state=DONE, report=report)
        assert ('data-label="List"' in text(page.get(url("import", study.slug, job.pk)))) is is_there


def test_a_question_is_read_with_its_answers_and_their_errors(page: Client, asked: Question) -> None:
    for address in (reverse(LIST), reverse("admin:studies_question_change", args=[asked.pk])):
        html = text(page.get(address))
        assert "How long?" in html
        assert "Six &lt;hours&gt; (right)<br>Sixteen hours (phonetic)" in html
        assert 'name="prompt"' not in html


def test_questions_are_seen_by_the_owner_of_their_study_alone(asked: Question) -> None:
    stranger = logged_in(researcher("sam"))
    assert "How long?" not in text(stranger.get(reverse(LIST)))
    assert stranger.get(reverse("admin:studies_question_change", args=[asked.pk])).status_code == 302


def test_a_question_can_be_deleted_until_the_launch(page: Client, asked: Question, study: Study, now: datetime) -> None:
    address = reverse("admin:studies_question_delete", args=[asked.pk])
    Study.objects.update(launched_at=now)
    assert page.post(address, {"post": "yes"}).status_code == 403
    with pytest.raises(Conflict):
        changes.remove_questions(questions=[asked.pk])
    assert study.questions.exists()
    Study.objects.update(launched_at=None)
    several = {"action": "delete_selected", "_selected_action": [asked.pk], "post": "yes"}
    assert page.post(reverse(LIST), several).status_code == 302
    assert not study.questions.exists()


def test_nobody_adds_or_changes_a_question_by_hand(page: Client, asked: Question) -> None:
    assert page.get(reverse("admin:studies_question_add")).status_code == 403
    change = reverse("admin:studies_question_change", args=[asked.pk])
    assert page.post(change, {"prompt": "Another?"}).status_code == 403
    asked.refresh_from_db()
    assert asked.prompt == "How long?"


def test_the_error_of_a_distractor_is_named_in_the_readers_language(
    page: Client, study: Study, asked: Question
) -> None:
    address = url("questions", study.slug)
    assert '<span class="quiet">Phonetic</span>' in text(page.get(address))
    assert '<span class="quiet">语音</span>' in text(page.get(address, headers={"accept-language": "zh-hans"}))
    Question.objects.update(options=[asked.options[0], {"text": "Sixty hours", "error": "of old"}])
    assert '<span class="quiet">of old</span>' in text(page.get(address))
