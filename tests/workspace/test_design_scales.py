"""The list of scales on Design without a script: one is written in the empty fields, and removed by emptying it."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from django.test import Client

from accounts.models import User
from studies.definition.form_fields import ListField
from studies.launch import design_page
from studies.launch.settings_forms import settings_form
from studies.models import Study
from tests.researchers import text
from tests.workspace.test_design import at, make, page, rita, whole

__all__ = ("page", "rita")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
EFFORT = ["Effort", "How much effort did it take?", "None\r\nVery much", "points", "1", "7", "1", "low", ""]
EMPTY = ["", "", "", "points", "1", "5", "1", "high", ""]


@pytest.fixture
def study(rita: User, now: datetime) -> Study:
    return make("p835", now, rita)


def sent(study: Study) -> list[str]:
    """Return the values of the list as a browser sends them."""
    field = settings_form("scales")(study=study).fields["task__scales"]
    assert isinstance(field, ListField)
    return field.sent(study.draft["task"]["scales"])


def save(client: Client, study: Study, values: list[str]) -> tuple[int, list[str]]:
    """Save the list; return the status, and the names of the scales."""
    status = client.post(at(study), whole(study, task__scales=values)).status_code
    study.refresh_from_db()
    return status, [scale.name for scale in study.definition.params.scales]


def test_the_page_holds_what_a_browser_sends_back_unchanged(page: Client, study: Study) -> None:
    before = study.draft
    assert save(page, study, [*sent(study), *EMPTY]) == (302, ["SIG", "BAK", "OVRL"])
    assert study.draft == before


def test_a_scale_in_the_empty_fields_is_added(page: Client, study: Study) -> None:
    assert save(page, study, [*sent(study), *EFFORT])[1] == ["SIG", "BAK", "OVRL", "Effort"]
    effort = study.definition.params.scales[-1]
    assert (effort.labels, effort.low, effort.high, effort.first) == (("None", "Very much"), 1.0, 7.0, "low")


def test_a_scale_whose_texts_were_emptied_is_removed(page: Client, study: Study) -> None:
    values = sent(study)
    assert save(page, study, [*EMPTY, *values[len(EMPTY) :]]) == (302, ["BAK", "OVRL"])


def test_a_scale_without_a_name_is_refused_with_the_reason_and_nothing_is_saved(page: Client, study: Study) -> None:
    values = [*sent(study), "", *EFFORT[1:]]
    assert save(page, study, values) == (400, ["SIG", "BAK", "OVRL"])
    html = text(page.post(at(study), whole(study, task__scales=values)))
    assert re.search(r'id="task__scales-problem">Name: ', html)
    assert "How much effort did it take?" in html


def test_whoever_may_only_read_sees_names_and_questions(rita: User, study: Study) -> None:

    main, _groups = design_page.groups(settings_form("scales")(study=study))
    assert main[0].value.startswith("SIG: Attend only to the speech.")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["SIG", *EFFORT[1:]], "有两个量表都叫“sig”"),
        ([*EFFORT[:3], "points", "1", "7", "4", "low", ""], "“Effort”的步长无法从最低点恰好走到最高点"),
        (["", *EFFORT[1:]], "名称：该字段是必填项。"),
    ],
)
def test_what_is_wrong_with_a_list_is_said_in_the_language_of_the_page(
    page: Client, study: Study, values: list[str], message: str
) -> None:
    sends = whole(study, task__scales=[*sent(study), *values])
    reply = page.post(at(study), sends, headers={"accept-language": "zh-hans"})
    assert reply.status_code == 400
    assert message in text(reply)
