"""Duplicating, archiving and deleting a study in a browser: what each role may do, and what the history says."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.models import User
from studies.audit import measuring
from studies.launch import frame
from studies.members.models import Member
from studies.models import Study
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text


@pytest.fixture
def rita(db: None) -> User:
    return researcher("rita")


@pytest.fixture
def study(rita: User, files: Path, now: datetime) -> Study:
    """A closed study of rita's, with an editor and a viewer."""
    study = World(now).study
    Study.objects.filter(pk=study.pk).update(owner=rita, title="Voices", state="closed")
    study.refresh_from_db()
    for name, role in (("edda", "editor"), ("vera", "viewer")):
        Member.objects.create(study=study, user=researcher(name), role=role, added_at=now)
    return study


def browser(name: str) -> Client:
    return logged_in(User.objects.get(username=name))


def address(name: str, study: Study) -> str:
    return reverse(f"workspace:{name}", args=[study.slug])


def history(study: Study) -> list[str]:
    return [entry.get_change_message() for entry in LogEntry.objects.filter(object_id=study.pk).order_by("pk")]


def test_an_editor_duplicates_a_study_which_is_then_theirs(study: Study) -> None:
    client = browser("edda")
    page = text(client.get(address("overview", study)))
    assert f'href="{address("duplicate", study)}"' in page
    response = client.post(address("duplicate", study), {"title": "Voices 2", "slug": "", "with_clips": "on"})
    copy = Study.objects.get(slug="voices-2")
    assert response["Location"] == address("overview", copy)
    assert (copy.owner, copy.clips.count()) == (User.objects.get(username="edda"), 48)
    assert history(copy) == [f"Copied from {study.slug}."]
    assert history(study) == ["Duplicated as voices-2."]
    overview = text(client.get(address("overview", copy)))
    assert "Copied from" in overview
    assert f'href="{address("overview", study)}"' in overview


def test_the_list_of_studies_offers_a_duplicate_to_those_who_may_make_one(study: Study) -> None:
    link = f'href="{address("duplicate", study)}"'
    assert link in text(browser("edda").get(reverse("workspace:home")))
    assert link not in text(browser("vera").get(reverse("workspace:home")))


def test_the_audit_of_a_copy_is_done_as_soon_as_its_clips_are_measured(study: Study, now: datetime) -> None:
    browser("rita").post(address("duplicate", study), {"title": "Unmeasured", "with_clips": "on"})
    assert frame.steps(Study.objects.get(slug="unmeasured"))[2].is_running
    measuring.measure_now(study=study, now=lambda: now)
    browser("rita").post(address("duplicate", study), {"title": "Measured", "with_clips": "on"})
    step = frame.steps(Study.objects.get(slug="measured"))[2]
    assert (step.is_done, step.is_running) == (True, False)
    page = text(browser("rita").get(address("overview", Study.objects.get(slug="measured"))))
    assert step.findings
    assert f"{step.findings} finding" in page


@pytest.mark.parametrize(("boxes", "excluded"), [(("with_clips", "excludes"), True), (("excludes",), False)])
def test_raters_of_the_original_are_excluded_if_the_copy_has_its_clips(
    study: Study, boxes: tuple[str, ...], excluded: bool
) -> None:
    page = text(browser("rita").get(address("duplicate", study)))
    assert "Raters of the original know its clips." in page
    browser("rita").post(address("duplicate", study), {"title": "Again", **dict.fromkeys(boxes, "on")})
    assert Study.objects.get(slug="again").definition.recruitment.not_in_studies == (study.slug,) * excluded


def test_nobody_behind_an_open_link_can_be_excluded(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(draft=study.draft | {"crowd": study.draft["crowd"] | {"source": "open"}})
    assert "Exclude raters" not in text(browser("rita").get(address("duplicate", study)))
    assert f'<option value="{study.slug}" data-unknown>' in text(browser("rita").get(reverse("workspace:new")))
    browser("rita").post(address("duplicate", study), {"title": "Again", "with_clips": "on", "excludes": "on"})
    assert Study.objects.get(slug="again").definition.recruitment.not_in_studies == ()


def test_the_page_that_duplicates_is_about_nothing_else(study: Study) -> None:
    page = text(browser("rita").get(address("duplicate", study)))
    assert "Duplicate study</button>" in page
    assert "Archive study" not in page
    assert "Delete this study" not in page
    assert "Duplicate study</button>" not in text(browser("rita").get(address("keep", study)))


def test_the_page_says_whether_raters_may_take_part_in_the_copy(study: Study) -> None:
    page = text(browser("rita").get(address("duplicate", study)))
    assert "Without that, or without the clips, raters of this study may take part" in page
    assert f'{reverse("studies:design", args=[study.slug])}#recruitment.not_in_studies"' in page
    study.draft["crowd"]["source"] = "open"
    study.save()
    page = text(browser("rita").get(address("duplicate", study)))
    assert "may take part in the copy: they came by an open link" in page
    assert "#recruitment.not_in_studies" not in page


def test_without_the_check_box_clips_are_left_out(study: Study) -> None:
    browser("rita").post(address("duplicate", study), {"title": "Bare"})
    assert not Study.objects.get(slug="bare").clips.exists()


def test_a_mistake_is_said_at_its_field(study: Study) -> None:
    response = browser("rita").post(address("duplicate", study), {"title": "Again", "slug": study.slug})
    assert response.status_code == 400
    assert "Another study has this address" in text(response)
    assert "Write a title" in text(browser("rita").post(address("duplicate", study), {"title": " "}))


def test_a_viewer_sees_the_page_and_may_do_nothing(study: Study) -> None:
    client = browser("vera")
    page = text(client.get(address("keep", study))) + text(client.get(address("duplicate", study)))
    for name in ("duplicate", "archive", "delete"):
        assert f'action="{address(name, study)}"' not in page
        assert client.post(address(name, study), {"title": "X", "typed": "Voices"}).status_code == 403
    assert Study.objects.count() == 1


def test_only_the_owner_archives_and_a_live_study_refuses(study: Study) -> None:
    assert browser("edda").post(address("archive", study)).status_code == 403
    page = text(browser("rita").post(address("archive", study), follow=True))
    assert "You find it under Archived" in page
    study.refresh_from_db()
    assert study.archived_at is not None
    assert "is archived: lists leave it out" in text(browser("rita").get(address("overview", study)))
    browser("rita").post(address("archive", study), {"undo": ""})
    Study.objects.update(state="live")
    assert "Close the study first" in text(browser("rita").post(address("archive", study), follow=True))
    study.refresh_from_db()
    assert study.archived_at is None
    assert len(history(study)) == 2


def test_a_closed_study_is_deleted_by_its_owner_once_its_title_is_typed(study: Study) -> None:
    assert browser("edda").post(address("delete", study), {"typed": "Voices"}).status_code == 403
    page = text(browser("rita").post(address("delete", study), {"typed": "Voice"}, follow=True))
    assert f"Type {study.slug} to delete the study." in page
    assert reverse("analysis:export", args=[study.slug]) in page
    response = browser("rita").post(address("delete", study), {"typed": "Voices"}, follow=True)
    assert "Voices was deleted." in text(response)
    assert not Study.objects.exists()
    assert LogEntry.objects.get(object_id=study.pk).is_deletion()


def test_a_draft_without_answers_is_deleted_after_one_click(rita: User, files: Path, now: datetime) -> None:
    draft = World(now, {"launch": False}).study
    Study.objects.update(owner=rita)
    page = text(browser("rita").get(address("keep", draft)))
    assert 'name="typed"' not in page
    browser("rita").post(address("delete", draft))
    assert not Study.objects.exists()
