"""A duplicate has what is asked and heard, no people and answers, and lives without its origin."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from accounts.models import User
from raters.models import Session
from studies.audit.models import AcceptedFinding, ClipAudit, StudyAudit
from studies.corpus import services as corpus
from studies.corpus.models import CorpusText
from studies.decisions.models import StudyExpert
from studies.imports import changes
from studies.launch import duplicating, states
from studies.members.models import Member
from studies.models import Clip, Question, Study
from tests.analysis.world import World
from tests.api.caller import Caller, refused, token
from tests.researchers import researcher

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def rita(db: None) -> User:
    return researcher("rita")


@pytest.fixture
def old(db: None, files: Path, now: datetime, rita: User) -> Study:
    """A study of rita's with answers, members, texts and an audit."""
    world = World(now, {"crowd__completion_code": "OLDCODE", "protocol__ratings_wanted": 7})
    world.batch(world.session(outcome="complete"))
    study, other = world.study, researcher("otto")
    Study.objects.filter(pk=study.pk).update(owner=rita, title="Voices", notice="Later", remark="Ours")
    study.refresh_from_db()
    Member.objects.create(study=study, user=other, role="viewer", added_at=now)
    StudyExpert.objects.create(study=study, user=other, at=now)
    text = corpus.add(study=study, name="t1", values={"body": "One.", "box": "black"}, author=rita, now=now)
    corpus.edit(text=text, values={"body": "Two."}, author=rita, now=now)
    corpus.accept(text=CorpusText.objects.get(), user=rita, now=now)
    Question.objects.create(study=study, name="golden/1", golden=True, prompt="2 + 2?", options=[{"text": "4"}])
    clip = study.clips.order_by("pk")[0]
    passage = clip.text
    Question.objects.create(study=study, name="p/1", text=passage, prompt="Who?", options=[{"text": "Ann"}])
    ClipAudit.objects.create(clip=clip, version=2, rendition=clip.rendition, measures={"level": -3}, measured_at=now)
    AcceptedFinding.objects.create(study=study, key="level:x", text="Louder.", accepted_by=rita, accepted_at=now)
    return study


def duplicate(study: Study, owner: User | None, now: datetime, **options: Any) -> Study:
    made = duplicating.duplicate(study=study, slug="new", owner=owner, now=now + timedelta(days=1), **options)
    return Study.objects.get(pk=made.pk)


def names(study: Study) -> set[str]:
    return {name for pair in study.clips.values_list("original", "rendition") for name in pair}


def test_a_duplicate_is_a_draft_with_all_that_raters_are_asked_and_hear(old: Study, rita: User, now: datetime) -> None:
    copy = duplicate(old, rita, now)
    assert (copy.state, copy.owner, copy.launched_at, copy.title) == ("draft", rita, None, "Voices 2")
    assert (copy.notice, copy.remark, copy.copied_from) == ("Later", "Ours", old.slug)
    ours, theirs = copy.definition.model_dump(), old.definition.model_dump()
    assert ours.pop("crowd") | {"x": 0} != theirs.pop("crowd")
    assert ours == theirs
    columns = ("file", "system__name", "role", "text__name", "dimension", "original", "rendition", "sha256")
    assert set(copy.clips.values_list(*columns)) == set(old.clips.values_list(*columns))
    assert set(copy.questions.values_list("name", "text__study")) == {("golden/1", None), ("p/1", copy.pk)}
    text = CorpusText.objects.get(study=copy)
    assert (text.body, text.box, text.state, text.accepted_by) == ("Two.", "black", "accepted", rita)
    assert list(text.versions.values_list("body", flat=True)) == ["One.", "Two."]


@pytest.mark.parametrize(
    ("title", "of_copy"),
    [
        ("Voices", "Voices 2"),
        ("Voices 2", "Voices 3"),
        ("Voices of 2026", "Voices of 2026 2"),
        ("x" * 200, f"{'x' * 196} 2"),
    ],
)
def test_a_copy_has_a_title_that_tells_raters_nothing_of_copying(title: str, of_copy: str) -> None:
    assert duplicating.title_of_copy(Study(title=title)) == of_copy


def test_raters_of_the_original_may_be_excluded_from_the_copy(old: Study, rita: User, now: datetime) -> None:
    assert duplicate(old, rita, now, excludes=True).definition.recruitment.not_in_studies == (old.slug,)


def test_audit_results_and_accepted_findings_hold_for_the_same_clips(old: Study, rita: User, now: datetime) -> None:
    copy = duplicate(old, rita, now)
    audit = ClipAudit.objects.get(clip__study=copy)
    assert (audit.rendition, audit.measures) == (audit.clip.rendition, {"level": -3})
    assert list(copy.accepted_findings.values_list("key", "accepted_by")) == [("level:x", rita.pk)]
    assert StudyAudit.objects.filter(study=copy).exists()


def test_a_duplicate_has_no_people_answers_secrets_and_codes_of_its_origin(
    old: Study, rita: User, now: datetime
) -> None:
    copy = duplicate(old, rita, now)
    assert not Session.objects.filter(study=copy).exists()
    assert not Member.objects.filter(study=copy).exists()
    assert not StudyExpert.objects.filter(study=copy).exists()
    assert not copy.versions.exists()
    assert copy.secret != old.secret
    assert copy.definition.crowd.completion_code not in {"", "OLDCODE"}


def test_without_clips_a_duplicate_keeps_texts_and_golden_questions(old: Study, rita: User, now: datetime) -> None:
    copy = duplicate(old, rita, now, with_clips=False, title="Template")
    assert copy.title == "Template"
    assert not copy.clips.exists()
    assert not copy.accepted_findings.exists()
    assert list(copy.questions.values_list("name", flat=True)) == ["golden/1"]
    assert copy.corpus.count() == 1
    assert copy.definition.protocol.ratings_wanted == 7


def test_a_change_of_a_duplicate_leaves_its_origin_as_it_was(old: Study, rita: User, now: datetime) -> None:
    copy = duplicate(old, rita, now)
    states.change_settings(study=copy, changes={"protocol.ratings_wanted": 3})
    changes.remove(clips=list(copy.clips.values_list("pk", flat=True)), now=now)
    old.refresh_from_db()
    assert old.definition.protocol.ratings_wanted == 7
    assert old.clips.count() == 48


def test_shared_files_stay_until_the_last_study_deletes_its_clip(
    rita: User, now: datetime, django_capture_on_commit_callbacks: Any
) -> None:
    origin = World(now, {"launch": False}).study
    copy = duplicate(origin, rita, now)
    second = duplicating.duplicate(study=copy, slug="second", owner=rita, now=now)
    shared = names(origin)
    # The origin goes first: its duplicates still share among themselves.
    for study, is_last in ((origin, False), (copy, False), (second, True)):
        with django_capture_on_commit_callbacks(execute=True):
            changes.remove(clips=list(study.clips.values_list("pk", flat=True)), now=now)
        assert [default_storage.exists(name) for name in shared] == [not is_last] * len(shared)


def test_a_withdrawn_clip_is_not_copied(old: Study, rita: User, now: datetime) -> None:
    clip = Clip.objects.get(audit__isnull=False)
    Clip.objects.filter(pk=clip.pk).update(withdrawn_at=now)
    assert not duplicate(old, rita, now).clips.filter(file=clip.file).exists()


def test_the_command_duplicates_and_says_why_it_can_not(old: Study, capsys: Any) -> None:
    call_command("duplicate_study", old.slug, "again", "--title", "Again")
    assert "Created the draft again" in capsys.readouterr().out
    assert Study.objects.get(slug="again").owner == old.owner
    with pytest.raises(CommandError, match="Another study has this address"):
        call_command("duplicate_study", old.slug, "again")
    with pytest.raises(CommandError, match="lower-case letters"):
        call_command("duplicate_study", old.slug, "No Slug")


def test_the_api_duplicates_once_for_those_who_may_change_the_study(old: Study, rita: User) -> None:
    api, body = Caller(token(rita)), {"slug": "again", "with_clips": False}
    first, same = (api.post(f"/studies/{old.slug}/duplicate", body) for _time in range(2))
    assert (first.status_code, same.status_code) == (201, 200)
    assert (first.json()["copied_from"], first.json()["state"]) == (old.slug, "draft")
    refused(api.post(f"/studies/{old.slug}/duplicate", {"slug": "again"}), 409, "key_reused")
    viewer = Caller(token(User.objects.get(username="otto")))
    refused(viewer.post(f"/studies/{old.slug}/duplicate", {"slug": "theirs"}), 403, "not_allowed")
    assert not Study.objects.filter(slug="theirs").exists()
