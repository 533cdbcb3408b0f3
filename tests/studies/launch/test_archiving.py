"""An archived study leaves the lists and is kept whole."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command

from accounts.models import User
from core.errors import Conflict
from studies.decisions import experts
from studies.decisions.models import StudyExpert
from studies.launch import archiving, pilots, states
from studies.models import Study
from tests.api.caller import Caller, refused, token
from tests.researchers import researcher
from tests.world import make_study

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def study(db: None, files: Any, now: datetime) -> Study:
    """A closed study of rita's with an expert."""
    study = make_study(now=now)
    Study.objects.filter(pk=study.pk).update(owner=researcher("rita"), state="closed")
    study.refresh_from_db()
    StudyExpert.objects.create(study=study, user=researcher("eve"), at=now)
    return study


def test_archived_studies_are_only_in_their_own_list_of_the_api(study: Study) -> None:
    api = Caller(token(User.objects.get(username="rita")))

    def listed(**query: str) -> list[str]:
        return [row["slug"] for row in api.get("/studies", **query).json()["results"]]

    assert api.post(f"/studies/{study.slug}/archive").json()["archived_at"] is not None
    assert (listed(), listed(archived="true")) == ([], [study.slug])
    assert api.get(f"/studies/{study.slug}").status_code == 200
    api.post(f"/studies/{study.slug}/unarchive")
    said = [entry.get_change_message() for entry in LogEntry.objects.filter(object_id=study.pk).order_by("pk")]
    assert said == ["The study was archived.", "The study was unarchived."]
    assert (listed(), listed(archived="true")) == ([study.slug], [])


def test_an_archived_study_is_not_on_the_experts_desk(study: Study, now: datetime) -> None:
    people = [User.objects.get(username=name) for name in ("rita", "eve")]
    pilot = make_study(now=now)
    Study.objects.filter(pk=pilot.pk).update(pilot_of=study, pilot_number=1)
    assert [set(experts.studies_of(person)) for person in people] == [{study, pilot}, {study}]
    archiving.archive(study=study, now=now)
    assert [list(experts.studies_of(person)) for person in people] == [[], []]


@pytest.mark.parametrize("state", ["live", "paused", "pilot"])
def test_a_study_that_collects_is_not_archived(study: Study, now: datetime, state: str) -> None:
    Study.objects.filter(pk=study.pk).update(state=state)
    with pytest.raises(Conflict, match="Close the study first"):
        archiving.archive(study=study, now=now)
    api = Caller(token(User.objects.get(username="rita")))
    refused(api.post(f"/studies/{study.slug}/archive"), 409, "wrong_state")


def test_an_archived_study_neither_starts_nor_reopens(study: Study, now: datetime) -> None:
    archiving.archive(study=study, now=now)
    with pytest.raises(Conflict, match="is archived"):
        states.reopen(study=study)
    Study.objects.filter(pk=study.pk).update(state="draft")
    with pytest.raises(Conflict, match="is archived"):
        states.launch(study=study, now=now)
    with pytest.raises(Conflict, match="is archived"):
        pilots.start(study=study, raters=2, now=now)


def test_the_command_archives_and_undoes_it(study: Study) -> None:
    call_command("archive_study", study.slug)
    assert Study.objects.get().archived_at is not None
    call_command("archive_study", study.slug, "--undo")
    assert Study.objects.get().archived_at is None
    Study.objects.update(state="live")
    with pytest.raises(CommandError, match="Close the study first"):
        call_command("archive_study", study.slug)
