"""`study list` and `study status`: state, ratings and sessions in a terminal, without scores."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from launcher.study import management
from raters.rating import batches
from studies.launch import archiving
from studies.models import Study
from tests import kinds
from tests.raters.test_all_kinds import rate
from tests.world import Person

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command of `earshot study`, and return what it prints."""

    def run(*arguments: str) -> str:
        call_command(*management(arguments))
        return capsys.readouterr().out

    return run


@pytest.fixture
def study(now: datetime) -> Study:
    """A live study of three texts by two systems: three pairs, ten ratings each; one rater gave two answers of two."""
    made = kinds.make("compare", now=now)
    Study.objects.filter(pk=made.pk).update(title="Old and new voice")
    person = Person(made, now).start()
    while not person.is_done:
        rate(person)
    for batch in person.filled:
        batches.validate(pk=batch, now=person.now)
    return made


def wanted(study: Study) -> int:
    return 3 * study.definition.protocol.ratings_wanted


def test_the_list_has_state_ratings_and_title(study: Study, said: Any) -> None:
    [line] = said("list").splitlines()
    assert line.split()[:5] == [study.slug, "live", "2", "of", str(wanted(study))]
    assert line.endswith("  Old and new voice")
    assert json.loads(said("list", "--json")) == [
        {"slug": study.slug, "title": "Old and new voice", "state": "live", "is_archived": False, "preset": "ab",
         "ratings": 2, "ratings_wanted": wanted(study)}
    ]  # fmt: skip


def test_archived_studies_are_listed_only_when_asked_for(study: Study, said: Any, now: datetime) -> None:
    Study.objects.update(state=Study.State.CLOSED)
    study.refresh_from_db()
    archiving.archive(study=study, now=now)
    assert said("list").startswith("There is no study. Create one: ")
    assert json.loads(said("list", "--json")) == []
    assert [each["slug"] for each in json.loads(said("list", "--archived", "--json"))] == [study.slug]


def test_the_status_of_a_live_study_counts_ratings_sessions_and_batches(study: Study, said: Any, now: datetime) -> None:
    Person(study, now).start()
    lines = said("status", study.slug).splitlines()
    assert lines[:3] == [
        f"{study.slug}: Old and new voice",
        "State:    live (preset ab)",
        f"Ratings:  2 of {wanted(study)} wanted are usable",
    ]
    assert lines[3].startswith("Sessions: 2 arrived, 1 complete, 0 screened out, 0 withdrawn; ")
    assert lines[4] == "Batches:  1 valid, 0 invalid, 0 to be validated"
    status = json.loads(said("status", study.slug, "--json"))
    assert (status["ratings"], status["sessions"]["arrived"], status["blocking"]) == (2, 2, [])
    assert not status.keys() & {"scores", "figures"}


def test_the_status_of_a_draft_says_what_blocks_the_launch(said: Any, now: datetime) -> None:
    study = kinds.make("compare", now=now, launched=False, task__pairs="baseline", task__baseline="nobody")
    text = said("status", study.slug)
    assert "State:    draft" in text
    assert "Launch:   1 to fix\n  The baseline with which all systems are compared has no clips" in text
    assert json.loads(said("status", study.slug, "--json"))["ratings_wanted"] == 0
    assert said("list").split()[1:3] == ["draft", "-"]


def test_an_unknown_study_ends_with_an_error_that_names_the_list() -> None:
    with pytest.raises(CommandError, match=r"There is no study “nothing”\. See: .* study list"):
        call_command(*management(["status", "nothing"]))
