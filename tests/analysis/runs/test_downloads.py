"""Report and tables of an analysis, from what a job stores to the download."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from analysis.plots.canvas import Plot
from analysis.report import document, printing
from analysis.runs.models import Analysis
from analysis.sections.results import Material, load
from analysis.sections.tables import Table
from studies.models import Study
from tests.analysis.papers.made import frame, shares
from tests.analysis.report.results import FIRST, nothing, results
from tests.analysis.world import World
from tests.researchers import logged_in, researcher

NAMES = ("report_html", "report_pdf", "report_tables")
TYPES = {"report.html": "text/html; charset=utf-8", "report.pdf": "application/pdf", "tables.zip": "application/zip"}
PLOT = Plot("scores", "HLS by system", "Words", "<svg xmlns='http://www.w3.org/2000/svg'/>", b"png")


@pytest.fixture
def owner(world: World) -> Client:
    user = researcher("owner")
    Study.objects.filter(pk=world.study.pk).update(owner=user)
    return logged_in(user)


def material(world: World) -> Material:
    """Return the study with a few scores among its results."""
    definition = world.study.definition
    found = {**nothing(), "scores": results()["scores"], "models": results()["models"]}
    return Material(
        world.study.slug, world.study.title, definition.kind, definition, frame(shares(FIRST, 30, 60)), load(found)
    )


def finished(world: World, **files: str) -> Analysis:
    """Return an analysis that is done, as its job leaves it."""
    return Analysis.objects.create(
        study=world.study, created_at=world.now, ended_at=world.now, state="done", results=results(),
        files={"plots": [], "documents": files},
        settings={"simulated": "without", "versions": [1], "seed": 1, "draws": 1000},
    )  # fmt: skip


def stored(found: Material, papers: Sequence[Table]) -> dict[str, str]:
    return printing.store(found.results, found.definition, [PLOT], papers)


def got(client: Client, world: World, row: Analysis, file: str) -> bytes:
    response = client.get(f"/studies/{world.study.slug}/analyses/{row.pk}/{file}")
    assert response.status_code == 200
    assert response["Content-Type"] == TYPES[file]
    assert response["Content-Disposition"] == f'attachment; filename="{world.study.slug}-analysis-{row.pk}-{file}"'
    return b"".join(response.streaming_content)


def test_report_and_tables_of_a_finished_analysis_are_downloads(owner: Client, world: World) -> None:
    row = finished(world, **stored(material(world), printing.of_paper(material(world))))
    page = got(owner, world, row, "report.html").decode()
    assert "HLS by system" in page
    assert "data:image/svg+xml;base64," in page
    assert got(owner, world, row, "report.pdf").startswith(b"%PDF-")
    with zipfile.ZipFile(io.BytesIO(got(owner, world, row, "tables.zip"))) as archive:
        names = archive.namelist()
        lines = list(csv.DictReader(io.TextIOWrapper(archive.open("scores_system.csv"), encoding="utf-8")))
    assert {"scores_system.md", "scores_system.tex", "att_table3.csv", "att_table6.csv", "model_bayes.csv"} <= set(
        names
    )
    assert len(names) == len(set(names))
    assert [float(line["HLS"]) for line in lines] == [0.85, 0.4, 0.2]


def test_the_report_is_read_in_another_language_when_it_is_asked_for(owner: Client, world: World) -> None:
    plots = [
        {"name": "scores", "title": "按系统的 HLS", "alt": "文字", "svg": printing.storage.put("analyses", b"<svg/>")}
    ]
    papers = printing.of_paper(material(world))
    row = finished(world, **stored(material(world), papers))
    row.files |= {"translated": {"zh-hans": plots}, "papers": [table.as_json for table in papers]}
    row.save()
    address = reverse("analysis:report_html", args=[world.study.slug, row.pk])
    page = owner.get(address, {"language": "zh-hans"})
    assert page["Content-Disposition"].endswith('-zh-hans-report.html"')
    text = page.content.decode()
    assert '<html lang="zh-hans">' in text
    assert "混合模型及其诊断" in text
    assert "按系统的 HLS" in text
    assert "[请填写" in re.sub(r"<mark>|</mark>", "", text)
    assert "Table 6" in text
    for other in ("", "ar", "nowhere"):
        english = b"".join(owner.get(address, {"language": other}).streaming_content).decode()
        assert '<html lang="en">' in english
        assert english == got(owner, world, row, "report.html").decode()
    printed = owner.get(reverse("analysis:report_pdf", args=[world.study.slug, row.pk]), {"language": "zh-hans"})
    assert printed.content.startswith(b"%PDF-")


def test_results_that_cannot_be_read_have_no_report_in_another_language(owner: Client, world: World) -> None:
    row = finished(world, **stored(material(world), []))
    row.results = {"schema": 1}
    row.save()
    address = reverse("analysis:report_html", args=[world.study.slug, row.pk])
    answer = owner.get(address, {"language": "zh-hans"})
    assert answer.status_code == 409
    assert answer.content.decode().startswith("此版本无法读取")
    assert owner.get(address).status_code == 200


def test_a_reader_is_offered_their_own_language_and_plots_in_it(owner: Client, world: World) -> None:
    row = finished(world, **dict.fromkeys(TYPES, "somewhere"))
    stored = printing.storage.put("analyses", b"<svg/>")
    drawn = {"name": "scores", "title": "HLS by system", "alt": "Words", "svg": stored, "png": stored}
    row.files |= {"plots": [drawn], "translated": {"zh-hans": [{**drawn, "title": "按系统的 HLS"}]}}
    row.save()
    address = reverse("analysis:analysis", args=[world.study.slug, row.pk])
    page = owner.get(address, headers={"Accept-Language": "zh-CN"}).content.decode()
    assert '<option value="zh-hans" lang="zh-hans" selected>' in page
    assert "按系统的 HLS" in page
    english = owner.get(address).content.decode()
    assert '<option value="en" lang="en" selected>' in english
    assert "HLS by system" in english


def test_the_page_of_an_analysis_offers_them(owner: Client, world: World) -> None:
    row = finished(world, **dict.fromkeys(TYPES, "somewhere"))
    page = owner.get(reverse("analysis:analysis", args=[world.study.slug, row.pk])).content.decode()
    assert all(reverse(f"analysis:{name}", args=[world.study.slug, row.pk]) in page for name in NAMES)


def test_without_pango_everything_else_is_stored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(page: str) -> bytes:
        raise document.NoPango(document.NO_PANGO)

    monkeypatch.setattr(document, "printed", fails)
    documents = stored(material(world), [])
    assert set(documents) == {"report.html", "tables.zip", "problem"}
    assert documents["problem"] == document.NO_PANGO


def test_without_pango_page_and_address_say_what_to_install(owner: Client, world: World) -> None:
    row = finished(world, **{"report.html": "somewhere", "tables.zip": "elsewhere", "problem": document.NO_PANGO})
    page = owner.get(reverse("analysis:analysis", args=[world.study.slug, row.pk])).content.decode()
    assert "libpango-1.0-0" in page
    assert reverse("analysis:report_pdf", args=[world.study.slug, row.pk]) not in page
    answer = owner.get(reverse("analysis:report_pdf", args=[world.study.slug, row.pk]))
    assert (answer.status_code, answer.content.decode()) == (503, document.NO_PANGO)


def test_an_analysis_without_files_has_no_downloads(owner: Client, world: World) -> None:
    row = finished(world)
    answers = [owner.get(reverse(f"analysis:{name}", args=[world.study.slug, row.pk])) for name in NAMES]
    assert [answer.status_code for answer in answers] == [404, 404, 404]


def test_nobody_else_may_take_them(owner: Client, world: World, client: Client) -> None:
    address = reverse("analysis:report_html", args=[world.study.slug, finished(world).pk])
    assert client.get(address).status_code == 302
    assert logged_in(researcher("somebody-else")).get(address).status_code == 404


def test_the_same_tables_make_the_same_zip_and_what_is_discarded_is_gone(world: World, files: Path) -> None:
    tables = [table for part in document.parts(material(world).results) for table in part.tables]
    assert printing.packed(tables) == printing.packed(tables)
    before = {path for path in files.rglob("*") if path.is_file()}
    documents = {"report.html": printing.storage.put(printing.KIND, b"x"), "problem": "No PDF."}
    printing.discard(documents)
    assert {path for path in files.rglob("*") if path.is_file()} == before
