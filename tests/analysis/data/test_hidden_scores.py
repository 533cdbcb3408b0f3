"""Scores hidden until closing (rule D10): what stays visible, who may open them early, and who is logged."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.data import hiding
from analysis.data.hiding import scores_are_hidden
from analysis.data.models import ScoreOpening, ScoreSight
from analysis.urls import urlpatterns
from core.errors import Conflict, Invalid
from studies.definition.parsing import change
from studies.launch import states
from studies.models import Study, StudyVersion
from tests import figures
from tests.analysis.world import World
from tests.researchers import logged_in, researcher, text
from tests.world import make_study

REASON = "The ethics board asks for an interim report."


@pytest.fixture
def hidden(db: None, files: Path, now: datetime) -> World:
    """Return a live study with answers and with hidden scores, owned by Rita, who shares it with a superuser."""
    world = World(now, {"results__hide_scores": True})
    world.crowd(6)
    Study.objects.filter(pk=world.study.pk).update(owner=researcher("rita"))
    world.study.refresh_from_db()
    figures.compute(world.study, now)
    return world


@pytest.fixture
def rita(hidden: World) -> Client:
    return logged_in(User.objects.get(username="rita"))


def shown(client: Client, world: World) -> str:
    return text(client.get(reverse("analysis:study", args=[world.study.slug])))


def log_page(world: World) -> str:
    return reverse("analysis:hidden_scores", args=[world.study.slug])


def test_no_score_is_on_the_page_while_progress_and_checks_are(rita: Client, hidden: World) -> None:
    page = shown(rita, hidden)
    assert "hidden until the study is closed" in page
    assert "scores-title" not in page
    assert "Labels given" not in page
    assert "scores highest" not in page
    assert "Human speech scores" not in page
    for visible in ("Usable ratings", "Valid batches", "coverage-title", "times-title", "checks-title"):
        assert visible in page
    assert ScoreSight.objects.count() == 0


def test_scores_appear_when_the_study_is_closed_which_it_then_stays(rita: Client, hidden: World) -> None:
    states.close(study=hidden.study)
    assert "scores-title" in shown(rita, hidden)
    assert ScoreSight.objects.count() == 0
    with pytest.raises(Conflict, match="have been visible since"):
        states.reopen(study=hidden.study)


def test_codes_found_in_answers_are_hidden_as_scores_are(rita: Client, hidden: World) -> None:
    page = reverse("experts:coding_overview", args=[hidden.study.slug])
    assert "Hidden until the study is closed" in text(rita.get(page))
    assert ScoreSight.objects.count() == 0
    rita.post(log_page(hidden), {"reason": REASON})
    assert "Nothing is coded yet." in text(rita.get(page))
    assert list(ScoreSight.objects.values_list("what", flat=True)) == ["codes"]


def test_one_person_may_open_them_early_with_a_reason_and_is_logged(rita: Client, hidden: World) -> None:
    sent = rita.post(log_page(hidden), {"reason": REASON})
    assert sent.headers["Location"] == reverse("analysis:study", args=[hidden.study.slug])
    page = shown(rita, hidden)
    assert "scores-title" in page
    assert "That you look at them is logged" in page
    shown(rita, hidden)
    assert list(ScoreSight.objects.values_list("by__username", "what")) == [("rita", "study")]
    log = text(rita.get(log_page(hidden)))
    assert REASON in log
    assert "rita" in log
    other = User.objects.create_superuser("admin", password="pw")
    assert scores_are_hidden(hidden.study, other)
    assert "scores-title" not in shown(logged_in(other), hidden)


@pytest.mark.parametrize("reason", ["", "   ", "too short", "x" * 501])
def test_without_a_reason_they_stay_hidden(rita: Client, hidden: World, reason: str) -> None:
    sent = rita.post(log_page(hidden), {"reason": reason})
    assert sent.status_code == 422
    assert "Say in 10 to 500 characters" in text(sent)
    assert not ScoreOpening.objects.exists()
    assert "scores-title" not in shown(rita, hidden)


def test_strangers_neither_open_them_nor_see_who_has(hidden: World) -> None:
    sam = logged_in(researcher("sam"))
    assert sam.get(log_page(hidden)).status_code == 404
    assert sam.post(log_page(hidden), {"reason": REASON}).status_code == 404
    assert not ScoreOpening.objects.exists()


def test_a_study_that_hides_nothing_has_nothing_to_open(world: World, now: datetime) -> None:
    assert not scores_are_hidden(world.study, None)
    with pytest.raises(Conflict, match="not hidden"):
        hiding.open_early(study=world.study, user=None, reason=REASON, now=now)
    assert not hiding.log_sight(study=world.study, user=None, what="study", now=now)


def test_the_shell_must_say_why_each_time(hidden: World, now: datetime) -> None:
    with pytest.raises(Invalid):
        hiding.open_early(study=hidden.study, user=None, reason="", now=now)
    with pytest.raises(Invalid):
        hiding.open_early(study=hidden.study, user=None, reason="x" * 501, now=now)
    assert hiding.open_early(study=hidden.study, user=None, reason="x" * 500, now=now).reason == "x" * 500
    hiding.open_early(study=hidden.study, user=None, reason=REASON, now=now)
    assert scores_are_hidden(hidden.study, None)


def test_what_is_hidden_and_when_is_looked_can_not_change_after_the_launch(
    db: None, files: Path, now: datetime
) -> None:
    settings = {
        "results__hide_scores": True,
        "results__looks": ["50%", "100%"],
        "results__contrasts": ["alpha vs beta"],
    }
    study = make_study(now=now, launch=False, **settings)
    version = states.launch(study=study, now=now, rng=Random(1))
    assert version.definition["results"]["looks"] == ["50%", "100%"]
    for field, value in {"hide_scores": False, "looks": ["100%"], "contrasts": ["alpha vs human"]}.items():
        with pytest.raises(Invalid) as refused:
            states.update_draft(study=study, raw=change(study.draft, {f"results.{field}": value}))
        assert list(refused.value.problems) == [f"results.{field}"]


def test_a_version_of_an_earlier_release_has_no_changes_to_publish(db: None, files: Path, now: datetime) -> None:
    study = make_study(now=now)
    version = StudyVersion.objects.get(study=study)
    old = {group: value for group, value in version.definition.items() if group != "results"}
    StudyVersion.objects.filter(pk=version.pk).update(definition=old, sha256="1" * 64)
    assert not states.has_changes(study, StudyVersion.objects.get(pk=version.pk))


# Pages that have no scores, or leave them out by themselves.
WITHOUT_SCORES = {
    "index",
    "study",
    "figures",
    "hidden_scores",
    "planning",
    "plan",
    "export",
    "export_detail",
    "export_download",
    "machines",
    "machines_against",
    "machines_import",
    "machines_dnsmos",
    "machines_dnsmos_progress",
    "metric",
    "metric_remove",
    # Scores that no listener gave.
    "dry_run_results",
}


def test_every_other_page_of_results_asks_whether_scores_are_hidden() -> None:
    asked = {str(pattern.name): hasattr(pattern.callback, "asks_for_scores") for pattern in urlpatterns}
    assert {name for name, asks in asked.items() if not asks} <= WITHOUT_SCORES
    assert {"analyses", "analysis", "analysis_json", "report_pdf"} <= {name for name, asks in asked.items() if asks}
