"""Analyses: started, watched, read, made again; by whom, from what, and what happens when a worker dies."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from analysis.data.models import Simulated
from analysis.live import figures as live_figures
from analysis.runs import analyses, queries
from analysis.runs.models import Analysis
from analysis.sections.shared import Refusal
from core import jobs
from core.errors import Invalid
from studies.models import Study
from tests.analysis.world import World
from tests.researchers import researcher

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
FEW = ["scores", "contrasts", "participants", "design"]


@pytest.fixture
def owner(world: World) -> User:
    owner = researcher("ada")
    world.study.owner = owner
    world.study.save()
    return owner


@pytest.fixture
def page(owner: User, client: Client) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def nudged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Collect what workers are told instead of telling them."""
    told: list[tuple[str, int]] = []
    monkeypatch.setattr("analysis.runs.views.nudge", lambda name, pk: told.append((name, pk)))
    return told


@pytest.fixture
def unprinted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave plots and report out, which take most of a run, where a test is about the figures and the row."""
    monkeypatch.setattr("analysis.report.plots.draw", lambda found: [])
    monkeypatch.setattr("analysis.report.printing.store", lambda *inputs: {})


def start(world: World, **settings: Any) -> Analysis:
    """Queue an analysis of a few sections."""
    row = analyses.request_analysis(study_id=world.study.pk, user=None, now=world.now, **settings)
    row.settings["sections"] = FEW
    row.save()
    return row


def run(row: Analysis, now: datetime) -> Analysis:
    assert analyses.run(pk=row.pk, clock=lambda: now)
    row.refresh_from_db()
    return row


def test_a_run_keeps_results_inputs_code_and_plots(world: World, now: datetime) -> None:
    world.crowd(8)
    row = run(start(world), now)
    assert (row.state, row.error) == (jobs.DONE, "")
    assert row.percent == 100
    assert row.results["inputs"]["fingerprint"] == row.fingerprint
    assert row.code_version.startswith("0.")
    assert row.results["scores"]["by"]["system"]
    assert {plot["name"] for plot in row.files["plots"]} >= {"scores"}


@pytest.mark.usefixtures("unprinted")
def test_the_same_run_again_comes_out_the_same_and_a_changed_input_is_told(world: World, now: datetime) -> None:
    world.crowd(12)
    first = run(start(world), now)
    again = run(analyses.request_analysis(study_id=world.study.pk, user=None, now=now, repeats=first), now)
    assert again.settings == first.settings
    assert queries.outcome(again) == "same"
    world.crowd(1)
    later = run(analyses.request_analysis(study_id=world.study.pk, user=None, now=now, repeats=first), now)
    assert queries.outcome(later) == "inputs"


@pytest.mark.usefixtures("unprinted")
def test_results_and_an_analysis_give_the_same_ranks(world: World, now: datetime) -> None:
    world.crowd(30)
    row = run(start(world), now)

    shown = live_figures.compute(study_id=world.study.pk, simulated=Simulated.WITHOUT, now=now)

    assert shown.contrasts is not None
    assert not isinstance(shown.contrasts, Refusal)
    ranks = {tier["name"]: tuple(tier["ranks"]) for tier in row.results["contrasts"]["tiers"]}
    assert {tier.name: tier.ranks for tier in shown.contrasts.tiers} == ranks
    assert any(0 < share < 1 for shares in ranks.values() for share in shares)


@pytest.mark.usefixtures("unprinted")
def test_other_software_is_told_from_other_answers(world: World, now: datetime) -> None:
    world.crowd(6)
    first = run(start(world), now)
    again = run(analyses.request_analysis(study_id=world.study.pk, user=None, now=now, repeats=first), now)
    again.results["scores"] = {"refused": "other"}
    assert queries.outcome(again) == "differs"
    again.code_version = "0.2.0+another"
    assert queries.outcome(again) == "code"


@pytest.mark.usefixtures("unprinted")
def test_a_killed_workers_row_is_taken_over_and_its_late_result_is_dropped(world: World, now: datetime) -> None:
    world.crowd(6)
    row = start(world)
    dead = jobs.claim(Analysis, row.pk, now)
    assert dead is not None
    assert not analyses.run(pk=row.pk, clock=lambda: now)
    later = now + jobs.LEASE + timedelta(seconds=1)
    assert run(row, later).state == jobs.DONE
    assert not jobs.finish(dead, later, results={"late": True})


def test_what_goes_wrong_is_on_the_row(world: World, now: datetime) -> None:
    world.crowd(1)
    row = start(world)
    row.settings["versions"] = [7]
    row.save()
    assert run(row, now).state == jobs.FAILED
    assert row.error == "This study has no version 7."


def test_a_draft_an_unknown_version_and_a_strange_seed_are_refused(world: World) -> None:
    draft = Study.objects.create(slug="draft", title="Draft", draft=world.study.draft)
    with pytest.raises(Invalid, match="not launched yet"):
        analyses.request_analysis(study_id=draft.pk, user=None, now=world.now)
    with pytest.raises(Invalid, match="no version 3"):
        start(world, versions=[1, 3])
    with pytest.raises(Invalid, match="whole number"):
        start(world, seed=-1)


def test_the_same_analysis_is_not_queued_twice_for_one_person(world: World) -> None:
    world.crowd(1)
    rows = [analyses.request_analysis(study_id=world.study.pk, user=None, now=world.now) for _ in range(2)]
    assert rows[0] == rows[1]


@pytest.mark.usefixtures("unprinted")
def test_raters_erased_later_are_counted_on_older_analyses(world: World, page: Client, now: datetime) -> None:
    world.crowd(1)
    row = run(start(world), now)
    for _erased in range(2):
        assert analyses.note_erasure(study_id=world.study.pk, now=now) == 1
    assert "2 raters were erased since" in body(page, f"/studies/{world.study.slug}/analyses/{row.pk}/")


def body(page: Client, path: str) -> str:
    response = page.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_the_list_says_what_to_do_and_start_tells_a_worker(
    world: World, page: Client, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(1)
    path = f"/studies/{world.study.slug}/analyses/"
    assert "No analyses yet" in body(page, path)
    response = page.post(path, {"simulated": "with", "seed": "5"})
    row = Analysis.objects.get()
    assert response.headers["Location"] == f"{path}{row.pk}/"
    assert (row.settings["simulated"], row.settings["seed"], row.settings["versions"]) == ("with", 5, [1])
    assert nudged == [("analysis.run_analysis", row.pk)]
    assert "Waiting to start" in body(page, f"{path}{row.pk}/")
    assert "waiting to start" in body(page, path)
    refused = page.post(path, {"seed": "minus one"})
    assert refused.status_code == 422
    assert "whole number" in refused.content.decode()


def test_results_are_shown_and_plots_and_json_can_be_taken(
    world: World, page: Client, now: datetime, nudged: list[tuple[str, int]]
) -> None:
    world.crowd(8)
    row = run(start(world), now)
    path = f"/studies/{world.study.slug}/analyses/{row.pk}/"
    html = body(page, path)
    for words in (
        "Scores (HLS)",
        "Few raters: 5.",
        "contributed usable ratings",
        "This section was left out",
        "for comparison",
    ):
        assert words in html
    assert 'style="' not in html
    plot = page.get(f"{path}plots/scores.svg")
    assert plot.headers["Content-Type"] == "image/svg+xml"
    assert b"<svg" in b"".join(plot)
    assert page.get(f"{path}plots/none.svg").status_code == 404
    assert page.get(f"{path}results.json").json() == row.results
    assert page.post(f"{path}again").status_code == 302


@pytest.mark.usefixtures("unprinted")
def test_an_analysis_begins_with_a_summary_and_with_contents_that_lead_to_every_section(
    world: World, page: Client, now: datetime
) -> None:
    world.crowd(12)
    row = run(start(world), now)
    html = body(page, f"/studies/{world.study.slug}/analyses/{row.pk}/")
    anchors = set(re.findall(r'<a href="#([\w-]+)"', html))
    sections = set(re.findall(r'<h2 id="([\w-]+)"', html)) - {"summary-title"}
    assert {"scores-title", "contrasts-title", "participants-title", "design-title"} <= sections
    assert anchors == sections
    summary = html[html.index('id="summary-title"') : html.index("made-of")]
    assert "Usable ratings: " in summary
    assert 'href="#scores-title"' in summary
    assert "Human speech scores" in summary
    assert "beta scores highest of 2 systems" in summary


@pytest.mark.usefixtures("unprinted")
def test_only_the_first_table_of_a_section_is_open(world: World, page: Client, now: datetime) -> None:
    world.crowd(12)
    row = run(start(world), now)
    html = body(page, f"/studies/{world.study.slug}/analyses/{row.pk}/")
    sections = html.split('<section class="card"')
    tables = [section.count('<details class="table"') for section in sections]
    assert max(tables) > 1
    assert [section.count('<details class="table" open') for section in sections] == [min(1, of) for of in tables]


def test_the_form_offers_the_sessions_that_have_ratings(world: World, page: Client) -> None:
    path = f"/studies/{world.study.slug}/analyses/"
    assert 'value="without" checked' in body(page, path)

    world.crowd(1, simulated=True)
    assert 'value="only" checked' in body(page, path)
    assert 'value="with" checked' in body(page, f"{path}?simulated=with")

    world.crowd(1)
    assert 'value="without" checked' in body(page, path)


def test_an_analysis_without_ratings_is_refused(world: World, page: Client) -> None:
    world.crowd(1, simulated=True)

    refused = page.post(f"/studies/{world.study.slug}/analyses/", {"simulated": "without"})

    assert refused.status_code == 422
    assert "No rater has answered a clip" in refused.content.decode()
    assert not Analysis.objects.exists()


def test_strangers_see_no_analysis(world: World, page: Client, client: Client, now: datetime) -> None:
    world.crowd(1)
    row = start(world)
    client.force_login(researcher("eve"))
    for end in ("", f"{row.pk}/", f"{row.pk}/results.json"):
        assert client.get(f"/studies/{world.study.slug}/analyses/{end}").status_code == 404
    client.logout()
    assert client.get(f"/studies/{world.study.slug}/analyses/").status_code == 302
