"""How many texts two experts decide on, so that their kappa is known well enough."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from studies.models import Study
from studies.rules.agreement import pairs_needed
from tests.researchers import logged_in, researcher
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
DOCS = Path(__file__).parents[3] / "docs" / "planning.md"


@pytest.fixture
def study(now: Any) -> Study:
    study = make_study(now=now, coding__mode="all", coding__double_share=0.25)
    Study.objects.filter(pk=study.pk).update(owner=researcher("rita"))
    study.refresh_from_db()
    return study


@pytest.fixture
def page(study: Study) -> Client:
    assert study.owner is not None
    return logged_in(study.owner)


def shown(client: Client, study: Study, **asked: Any) -> str:
    address = reverse("analysis:planning", args=[study.slug])
    return client.get(address, {f"kappa-{name}": value for name, value in asked.items()}).content.decode()


def said(study: Study, *options: str) -> str:
    out = io.StringIO()
    call_command("plan_study", study.slug, "kappa", *options, stdout=out)
    return out.getvalue()


def test_the_page_says_how_many_texts_two_experts_decide_on_and_how_many_that_takes(page: Client, study: Study) -> None:
    text = shown(page, study, kappa="0.7", share="0.2", half_width="0.1")
    assert "Two experts must decide on 314 texts for ± 0.1." in text
    assert "With the double share of 25 %, that takes 1,256 texts in all." in text
    assert "Two experts must decide on" not in shown(page, study)


def test_impossible_inputs_are_refused_at_their_fields(page: Client, study: Study) -> None:
    text = shown(page, study, kappa="1.2", share="0.2", half_width="0.1")
    assert 'class="problem"' in text
    assert "Two experts must decide on" not in text


def test_a_study_whose_experts_decide_on_nothing_has_no_such_form(now: Any) -> None:
    study = make_study(now=now, review__mode="off")
    Study.objects.filter(pk=study.pk).update(owner=researcher("sam"))
    study.refresh_from_db()
    assert study.owner is not None
    assert "Texts that two experts decide on" not in shown(logged_in(study.owner), study)


def test_the_command_says_the_same(study: Study) -> None:
    assert said(study, "--set", "share=0.2") == (
        "Texts that two experts decide on: 314, 1,256 in all with a double share of 0.25.\n"
    )
    results = json.loads(said(study, "--set", "share=0.2", "--json"))["results"]
    assert results == {"pairs": 314, "double_share": 0.25, "texts": 1256}
    with pytest.raises(CommandError, match="less than 1"):
        said(study, "--set", "share=1")


def test_the_table_of_the_docs_is_computed() -> None:
    lines = DOCS.read_text().splitlines()
    first = lines.index("| share with the code | κ = .5 | κ = .7 | κ = .9 |") + 2
    for line in lines[first : first + 4]:
        share, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        for kappa, cell in zip((0.5, 0.7, 0.9), cells, strict=True):
            assert int(cell.replace(",", "")) == pairs_needed(kappa=kappa, share=float(share), half_width=0.1)
