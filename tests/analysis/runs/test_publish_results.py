"""Published results are files that need no server, of closed studies only, without figures of erased raters."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analysis.report import printing
from analysis.runs import publishing
from analysis.runs.models import Analysis
from studies.models import Study
from tests.analysis.report.results import results
from tests.analysis.runs.test_downloads import PLOT, material, stored
from tests.analysis.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
LINK = re.compile(r'(?:href|src)="([^"]*)"')


@pytest.fixture
def closed(world: World) -> World:
    """A closed study with a finished analysis, as its job leaves it."""
    Study.objects.filter(pk=world.study.pk).update(state="closed")
    plot = {
        "name": "scores",
        "title": PLOT.title,
        "alt": PLOT.alt,
        "svg": printing.storage.put("analyses", PLOT.svg.encode()),
        "png": printing.storage.put("analyses", b"png"),
    }
    # The PDF is not published, and takes seconds.
    documents = stored(material(world), printing.of_paper(material(world)))
    Analysis.objects.create(
        study=world.study, created_at=world.now, ended_at=world.now, state="done", results=results(),
        files={"plots": [plot], "papers": [], "documents": documents},
        settings={"simulated": "without", "versions": [1], "seed": 1, "draws": 1000},
    )  # fmt: skip
    return world


def publish(*arguments: str) -> list[Path]:
    out = io.StringIO()
    call_command("publish_results", *arguments, stdout=out)
    return [Path(line) for line in out.getvalue().splitlines()]


def test_every_link_leads_to_a_file_of_the_folder_and_nothing_is_loaded_from_elsewhere(
    closed: World, tmp_path: Path
) -> None:
    written = publish(closed.study.slug, "--out", str(tmp_path / "site"))
    assert written[-1] == tmp_path / "site" / "index.html"
    assert sorted(written) == sorted(path for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert {path.suffix for path in written} == {".html", ".svg", ".png", ".csv"}
    for page in (path for path in written if path.suffix == ".html"):
        text = page.read_text()
        links = LINK.findall(text)
        assert links
        for link in links:
            inside = link.startswith("data:") or (link.startswith("#") and f'id="{link[1:]}"' in text)
            assert inside or (page.parent / link).is_file(), link
        assert not re.search(r"<script|<link|url\(|@import|https?://", text)
    index = written[-1].read_text()
    assert closed.study.title in index
    assert f"{closed.study.slug}/report.html" in index
    assert "scores_system.csv" in index


def test_pages_are_in_the_chosen_language(closed: World, tmp_path: Path) -> None:
    index = publish(closed.study.slug, "--out", str(tmp_path / "site"), "--language", "zh-hans")[-1]
    assert '<html lang="zh-hans">' in index.read_text()
    assert "Open the report" not in index.read_text()


def test_a_study_that_still_collects_is_not_published(world: World, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Only closed studies are published"):
        publish(world.study.slug, "--out", str(tmp_path / "site"))
    assert not (tmp_path / "site").exists()


def test_a_folder_with_files_is_left_as_it_is(closed: World, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine.txt").write_text("mine")
    with pytest.raises(CommandError, match="is not empty"):
        publish(closed.study.slug, "--out", str(tmp_path / "site"))
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    "outdated", [{"erased_raters": 1}, {"settings": {"simulated": "with", "versions": [1], "seed": 1, "draws": 1000}}]
)
def test_an_analysis_of_erased_raters_or_other_sessions_is_computed_again(
    closed: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outdated: dict[str, Any]
) -> None:
    finished = Analysis.objects.get()
    Analysis.objects.update(**outdated)
    computed = []

    def run(*, pk: int, clock: Any) -> bool:
        computed.append(pk)
        Analysis.objects.filter(pk=pk).update(
            state="done", results=finished.results, files=finished.files, ended_at=clock()
        )
        return True

    monkeypatch.setattr(publishing.analyses, "run", run)
    # The crowd of this world has not rated.
    monkeypatch.setattr(publishing.analyses.queries, "has_ratings", lambda *_: True)
    publish(closed.study.slug, "--out", str(tmp_path / "site"))
    assert computed
    assert finished.pk not in computed


def test_simulated_raters_are_named_as_such_on_the_index(closed: World, tmp_path: Path) -> None:
    Analysis.objects.update(settings={"simulated": "only", "versions": [1], "seed": 1, "draws": 1000})
    row = Analysis.objects.get()
    row.results["study"]["simulated"] = "only"
    row.save()
    index = publish(closed.study.slug, "--out", str(tmp_path / "site"), "--simulated", "only")[-1]
    assert "Answers of simulated raters" in index.read_text()
