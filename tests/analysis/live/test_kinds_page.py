"""What the study's page says of each task type."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
from django.urls import reverse

from accounts.models import User
from raters.models import Rating
from studies.models import Clip, Member, Study
from studies.summaries.models import Summary
from tests import figures
from tests.analysis.rated import Rated, heard, system
from tests.passages import listen, make_passages
from tests.researchers import logged_in, researcher, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody be nudged: the tests compute the figures themselves."""
    monkeypatch.setattr("studies.summaries.services.nudge", lambda task, pk: None)


def shown(study: Study, now: datetime, by: str = "system") -> str:
    """Compute a study's figures and return its page as its owner sees it, without markup between words."""
    rita = researcher("rita")
    Study.objects.filter(pk=study.pk).update(owner=rita)
    figures.compute(study, now)
    response = logged_in(rita).get(reverse("analysis:study", args=[study.slug]), {"by": by})
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text(response)))


def test_hfr_is_shown_in_percent_by_system_and_benchmark_with_its_mean_and_quota(files: Path, now: datetime) -> None:
    world = Rated(now, kind="hfr", human_tests=True, options={"protocol__quota_raters": 4}).everybody(18)
    page = shown(world.study, now, "benchmark")
    mean = world.means(lambda row: None if system(row) == "human" else heard(row).benchmark)["LJSpeech"]
    assert f"{100 * mean:.2f} %" in page
    for words in ("HFR by system and benchmark", "μ is the unweighted mean over benchmarks.", "LibriTTS", "Quota"):
        assert words in page
    assert "of 4" in page
    assert "Human recordings are left out here." in page
    assert "*" not in page


def test_systems_that_were_trained_on_a_benchmark_have_a_star_there(files: Path, now: datetime) -> None:
    world = Rated(now, kind="hfr", human_tests=True).everybody(18)
    trained = Clip.objects.filter(study=world.study, benchmark="LJSpeech", system__name__in=["alpha", "human"])
    trained.update(seen="yes")
    Clip.objects.filter(study=world.study, benchmark="LibriTTS").update(seen="no")
    cells = world.means(lambda row: f"{system(row)}/{heard(row).benchmark}")
    page = shown(world.study, now)
    assert f"{100 * cells['alpha/LJSpeech']:.2f} %*" in page
    assert "Marked *: the system was trained on this benchmark." in page
    # The one cell and the sentence: people are trained on nothing, and conditions aren't benchmarks.
    assert page.count("*") == 2


def test_a_study_without_traps_says_nothing_of_traps_and_guessers(files: Path, now: datetime) -> None:
    page = shown(Rated(now, kind="mushra").everybody(6).study, now)
    for words in ("guesser", "Without the trap rule", "Traps, over every full batch", "Valid batches", "invalid"):
        assert words not in page
    assert "Full batches" in page
    assert "Usable ratings per screen" in page
    assert "all systems together" in page
    assert "the more to the right, the better" in page


@pytest.mark.parametrize(("kind", "place"), [("compare", "pair"), ("mushra", "screen"), ("hfr", "clip")])
def test_ratings_are_wanted_per_clip_pair_or_screen(kind: str, place: str, files: Path, now: datetime) -> None:
    assert f"ratings wanted per {place}" in shown(Rated(now, kind=kind).everybody(6).study, now)


def test_markers_stand_by_system_and_by_domain(files: Path, now: datetime) -> None:
    page = shown(Rated(now, kind="hfr_granular").everybody(6).study, now)
    assert "Percent of all usable answers of a group, including those that name nothing." in page
    for words in ("By system", "By domain", "commercial", "Digital voice quality", "No human quirks"):
        assert words in page


def test_golden_questions_and_reopened_passages_are_explained(files: Path, now: datetime) -> None:
    study = make_passages(now=now)
    listen(study, now, "correct", "correct", "correct")
    listen(study, now, "other", "other", "other")
    listen(study, now, golden="distractor_1")
    page = shown(study, now)
    for words in (
        "2 ratings wanted per clip, up to 4 where raters disagree",
        "1 of 1 were reopened",
        "Golden questions answered correctly",
        "2 of 3; sessions lost: 1",
        "First 2 raters of each item",
        "Mean over raters",
        "50.00 %",
        "Structure",
        "I heard a name that is not listed",
        "How many were there, text-0, 1?",
    ):
        assert words in page
    assert "guesser" not in page


def test_rule_d11_questions_on_black_box_passages_are_for_people_who_may_change_the_study(
    files: Path, now: datetime
) -> None:
    study = make_passages(now=now)
    listen(study, now, "other", "other", "other")
    Clip.objects.filter(study=study).update(box="black")
    asked, instead = "How many were there", "(a question about a passage of the black box)"
    page = shown(study, now)
    assert asked in page
    assert instead not in page
    viewer = researcher("vera")
    Member.objects.create(study=study, user=viewer, role="viewer", added_at=now)
    Study.objects.filter(pk=study.pk).update(state="closed")
    client, api = logged_in(viewer), reverse("api:results", args=[study.slug])
    page = text(client.get(reverse("analysis:study", args=[study.slug])))
    assert page.count(instead) == 3
    assert asked not in page
    assert asked not in text(client.get(api))
    assert asked in text(logged_in(User.objects.get(username="rita")).get(api))


def test_more_notes_than_a_page_holds_are_in_the_download(
    files: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_passages(now=now)
    listen(study, now, "other", "other", "other")
    Rating.objects.filter(part="question").update(note="<b>bold</b> =1+1")
    monkeypatch.setattr("analysis.data.reasons.NOTES", 2)
    page = shown(study, now)
    assert "The first 2 of 3." in page
    assert page.count("&lt;b&gt;bold&lt;/b&gt; =1+1") == 2


def test_figures_of_an_older_release_are_computed_again_before_they_are_shown(files: Path, now: datetime) -> None:
    study = Rated(now, kind="hfr").study
    shown(study, now)
    Summary.objects.update(value={"scores": {"system": []}})
    page = logged_in(User.objects.get(username="rita")).get(reverse("analysis:study", args=[study.slug]))
    assert "The figures are being computed." in text(page)
