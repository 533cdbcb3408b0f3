"""The return URL follows the source that raters come from."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from raters import sources
from studies.launch import drafting, launch_list, states
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
PROLIFIC = sources.get("prolific").return_url


def warnings_of_returns(study):
    groups = launch_list.context(study, NOW)["groups"]
    return [line.message for group in groups for line in group.lines if "return URL" in line.message]


@pytest.mark.parametrize("source", [source.name for source in sources.offered()])
def test_a_study_of_another_source_has_that_source_s_return_url(source: str):
    study = states.create_study(
        slug="voices", title="Voices", preset="acr", owner=None, changes={"crowd.source": source}, now=NOW
    )
    assert study.definition.crowd.return_url == sources.get(source).return_url
    assert warnings_of_returns(study) == []


def test_a_draft_whose_source_changes_gets_the_new_return_url_and_back():
    study = make_study(now=NOW, launch=False)
    assert study.definition.crowd.return_url == PROLIFIC
    result = drafting.save(study=study, changes={"crowd.source": "open"}, shown={})
    assert result.saved == {"crowd.source": "open", "crowd.return_url": ""}
    assert warnings_of_returns(study) == []
    result = drafting.save(study=study, changes={"crowd.source": "prolific"}, shown={})
    assert result.saved == {"crowd.source": "prolific", "crowd.return_url": PROLIFIC}


def test_a_return_url_of_the_study_s_own_stays_when_the_source_changes():
    study = make_study(now=NOW, launch=False, crowd__return_url="https://example.org/thanks")
    states.change_settings(study=study, changes={"crowd.source": "open"})
    assert study.definition.crowd.return_url == "https://example.org/thanks"


def test_a_return_url_that_is_sent_with_the_source_is_saved():
    study = make_study(now=NOW, launch=False)
    changes = {"crowd.source": "open", "crowd.return_url": "https://example.org/thanks"}
    states.change_settings(study=study, changes=changes)
    assert study.definition.crowd.return_url == "https://example.org/thanks"
